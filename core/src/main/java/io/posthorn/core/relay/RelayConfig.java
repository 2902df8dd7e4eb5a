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
 * How a relay works. Every value has a default that fits most.
 *
 * @param lease how long a relay that fell silent keeps its lanes; at least twice the longest send
 *     timeout plus the settle timeout; default 30 s
 * @param settleTimeout how long a settle may take; default 5 s
 * @param batchSize most messages of a lane that are unsettled at once, which is also the most that
 *     a crash can deliver twice; default 2,000
 * @param batchBytes when so many bytes of payloads and headers of a lane are unsettled, no more are
 *     taken in; one read returns at most as many, or a single message; default 8 MiB
 * @param slowAfter an answer that is later than this no longer holds up other keys; default 1 s
 * @param fastestPoll pause between looks into the log while there is traffic; default 2 ms
 * @param slowestPoll the same when idle; default 1 s
 * @param noRouteGrace how long a message waits for a route before it is dead; default 10 min
 * @param retention how long delivered messages stay; at most 13 days; default 7 days
 * @param storeThreads most connections this relay uses at once, beside one for its heartbeat and
 *     now and then one for retention; default 4
 * @param deadRetention how long dead letters stay, discarded ones too; at least 7 days; default 30
 *     days
 * @param diskBudget a destination that keeps more bytes of the log from being removed is spilled;
 *     default: none is
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

  /** All that is wrong with it, whatever the destinations. Each begins with an option's name. */
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
          "deadRetention is %s, at least %s are needed: so long before it is announced"
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

  /** What is wrong with the lease for a destination with this timeout; begins with its name. */
  public Optional<String> problemWith(String destination, Duration sendTimeout) {
    Duration least = sendTimeout.plus(settleTimeout).multipliedBy(2);
    return lease.compareTo(least) >= 0
        ? Optional.empty()
        : Optional.of(
            "lease is %s, but destination '%s' needs at least %s: twice its sendTimeout %s plus settleTimeout %s"
                .formatted(lease, destination, least, sendTimeout, settleTimeout));
  }

  /** Throws with all problems at once. */
  void check(List<Destination> destinations) {
    List<String> problems = problems();
    for (Destination destination : destinations) {
      problemWith(destination.name(), destination.sendTimeout()).ifPresent(problems::add);
      ServedDestination served = destination.served();
      if (served.types().isEmpty() && served.direction() == Direction.OUT) {
        problems.add("destination '" + destination.name() + "' has no types: nothing goes there");
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

  /** Starts from the defaults. */
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
