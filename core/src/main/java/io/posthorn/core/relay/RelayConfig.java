package io.posthorn.core.relay;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.store.Direction;
import io.posthorn.core.store.ServedDestination;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The settings of a relay. Every value has a default that fits most applications.
 *
 * @param lease how long a relay that no longer responds keeps its lanes; at least twice the sum of
 *     the longest send timeout and the settle timeout; default 30 s
 * @param settleTimeout how long a settle may take; default 5 s
 * @param batchSize most unsettled messages of a destination, which its lanes divide; also the most
 *     that a crash can deliver twice; default 2,000
 * @param batchBytes size of the unsettled payloads and headers of a destination, which its lanes
 *     divide, at which no more messages are taken in. One read returns at most as many bytes, or a
 *     single message; default 8 MiB
 * @param slowAfter longest time that a message without an answer holds up other keys; less if its
 *     destination usually answers sooner; default 1 s
 * @param fastestPoll pause between checks of the log while messages arrive; default 2 ms
 * @param slowestPoll pause between checks of the log while the relay is idle; default 1 s
 * @param noRouteGrace how long a message waits for a route before it is dead; default 10 min
 * @param retention how long delivered messages stay; at most 13 days; default 7 days
 * @param storeThreads most connections that this relay uses at once, besides one for its heartbeat
 *     and sometimes one for retention; default 4
 * @param deadRetention how long dead letters stay, including discarded ones; at least 7 days;
 *     default 30 days
 * @param diskBudget bytes of the log that a destination may keep from being removed before it is
 *     spilled; default: no limit
 */
public record RelayConfig(
    Duration lease,
    Duration settleTimeout,
    int batchSize,
    long batchBytes,
    Duration slowAfter,
    Duration fastestPoll,
    Duration slowestPoll,
    Duration noRouteGrace,
    Duration retention,
    int storeThreads,
    Duration deadRetention,
    long diskBudget) {

  private static final Duration LEAST_DEAD = RetentionTimes.ANNOUNCED;

  public static final RelayConfig DEFAULT = builder().build();

  public static Builder builder() {
    return new Builder();
  }

  /** All problems that do not depend on destinations. Each text begins with a property's name. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (batchSize < 2) {
      problems.add("batchSize is " + batchSize + ", at least 2 is needed");
    }
    if (batchBytes < 1) {
      problems.add("batchBytes is " + batchBytes + ", at least 1 is needed");
    }
    if (storeThreads < 2) {
      problems.add("storeThreads is " + storeThreads + ", at least 2 are needed");
    }
    if (fastestPoll.compareTo(slowestPoll) > 0) {
      problems.add("fastestPoll " + fastestPoll + " is longer than slowestPoll " + slowestPoll);
    }
    if (deadRetention.compareTo(LEAST_DEAD) < 0) {
      problems.add(
          "deadRetention is %s, at least %s is needed: Posthorn announces that dead letters expire this long before"
              .formatted(deadRetention, LEAST_DEAD));
    }
    if (diskBudget < 1) {
      problems.add("diskBudget is " + diskBudget + ", at least 1 is needed");
    }
    return problems;
  }

  RetentionTimes retentionTimes() {
    return new RetentionTimes(retention, deadRetention);
  }

  /** The problem of the lease with this send timeout, if any; the text begins with "lease". */
  public Optional<String> problemWith(String destination, Duration sendTimeout) {
    Duration least = sendTimeout.plus(settleTimeout).multipliedBy(2);
    return lease.compareTo(least) >= 0
        ? Optional.empty()
        : Optional.of(
            "lease is %s, but destination '%s' needs at least %s: twice its sendTimeout %s plus settleTimeout %s"
                .formatted(lease, destination, least, sendTimeout, settleTimeout));
  }

  /** Throws an exception that names all problems at once. */
  void check(List<Destination> destinations) {
    List<String> problems = problems();
    for (Destination destination : destinations) {
      problemWith(destination.name(), destination.sendTimeout()).ifPresent(problems::add);
      ServedDestination served = destination.served();
      if (served.types().isEmpty() && served.direction() == Direction.OUT) {
        problems.add(
            "destination '"
                + destination.name()
                + "' has no types, so no message would be sent to it");
      }
    }
    if (!problems.isEmpty()) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "the relay was not started: its configuration has "
              + problems.size()
              + (problems.size() == 1 ? " problem: " : " problems: ")
              + String.join("; ", problems)
              + ". Correct them.");
    }
  }

  /** Collects settings, beginning with the defaults. */
  public static final class Builder {
    private Duration lease = Duration.ofSeconds(30);
    private Duration settleTimeout = Duration.ofSeconds(5);
    private int batchSize = 2_000;
    private long batchBytes = 8L << 20;
    private Duration slowAfter = Duration.ofSeconds(1);
    private Duration fastestPoll = Duration.ofMillis(2);
    private Duration slowestPoll = Duration.ofSeconds(1);
    private Duration noRouteGrace = Duration.ofMinutes(10);
    private Duration retention = RetentionTimes.DEFAULT.sent();
    private int storeThreads = 4;
    private Duration deadRetention = RetentionTimes.DEFAULT.dead();
    private long diskBudget = Long.MAX_VALUE;

    private Builder() {}

    public Builder lease(Duration lease) {
      this.lease = lease;
      return this;
    }

    public Builder settleTimeout(Duration settleTimeout) {
      this.settleTimeout = settleTimeout;
      return this;
    }

    public Builder batchSize(int batchSize) {
      this.batchSize = batchSize;
      return this;
    }

    public Builder batchBytes(long batchBytes) {
      this.batchBytes = batchBytes;
      return this;
    }

    public Builder slowAfter(Duration slowAfter) {
      this.slowAfter = slowAfter;
      return this;
    }

    public Builder poll(Duration fastest, Duration slowest) {
      this.fastestPoll = fastest;
      this.slowestPoll = slowest;
      return this;
    }

    public Builder noRouteGrace(Duration noRouteGrace) {
      this.noRouteGrace = noRouteGrace;
      return this;
    }

    public Builder retention(Duration retention) {
      this.retention = retention;
      return this;
    }

    public Builder storeThreads(int storeThreads) {
      this.storeThreads = storeThreads;
      return this;
    }

    public Builder deadRetention(Duration deadRetention) {
      this.deadRetention = deadRetention;
      return this;
    }

    public Builder diskBudget(long diskBudget) {
      this.diskBudget = diskBudget;
      return this;
    }

    public RelayConfig build() {
      return new RelayConfig(
          lease,
          settleTimeout,
          batchSize,
          batchBytes,
          slowAfter,
          fastestPoll,
          slowestPoll,
          noRouteGrace,
          retention,
          storeThreads,
          deadRetention,
          diskBudget);
    }
  }
}
