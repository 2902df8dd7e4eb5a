package io.posthorn.spring.autoconfigure;

import io.posthorn.core.message.Limits;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.spring.connector.DestinationProperties;
import io.posthorn.spring.connector.Placeholders;
import io.posthorn.spring.connector.RetryChange;
import io.posthorn.spring.handler.ConsumerProperties;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Finds invalid values, and reports each with its property. */
final class SettingsCheck {
  private final PosthornProperties properties;
  private final List<String> problems;

  /**
   * Creates a check.
   *
   * @param problems receives what is wrong
   */
  SettingsCheck(PosthornProperties properties, List<String> problems) {
    this.properties = properties;
    this.problems = problems;
  }

  void check() {
    problems.addAll(Placeholders.problems("posthorn.application", properties.application()));
    problems.addAll(Placeholders.problems("posthorn.environment", properties.environment()));
    long mostBytes = properties.outbox().maxPayloadSize().toBytes();
    if (mostBytes < 1 || mostBytes > Limits.MOST_PAYLOAD_BYTES) {
      problems.add(
          "posthorn.outbox.max-payload-size is %d bytes: it must be from 1 byte to 32MB"
              .formatted(mostBytes));
    }
    requirePositive("posthorn.metrics.every", properties.metrics().every());
    requireAtLeastOne("posthorn.metrics.most-types", properties.metrics().mostTypes());
    properties
        .destinations()
        .forEach((name, one) -> destination("posthorn.destinations." + name, one));
    properties.consumers().forEach((name, one) -> consumer("posthorn.consumers." + name, one));
  }

  private void destination(String at, DestinationProperties one) {
    requirePositive(at + ".send-timeout", one.sendTimeout());
    requirePositive(at + ".retry.backoff", one.retry().backoff());
    requirePositive(at + ".retry.longest-backoff", one.retry().longestBackoff());
    requirePositive(at + ".retry.time-limit", one.retry().timeLimit());
    requireAtLeastOne(at + ".retry.attempts", one.retry().attempts());
    requireNotNegative(at + ".retry.jitter", one.retry().jitter(), "0 means no jitter");
    requireAtLeastOne(at + ".max-in-flight", one.maxInFlight());
    requireAtLeastOne(at + ".breaker-after", one.breakerAfter());
    requireNotNegative(at + ".per-second", one.perSecond(), "0 means no limit");
    if (one.notAfter() != null) {
      requirePositive(at + ".not-after", one.notAfter());
    }
    Duration grace = one.unservedGrace();
    if (grace != null && grace.isNegative()) {
      problems.add(
          "%s.unserved-grace is %s: it must not be negative; 0s means no grace"
              .formatted(at, grace));
    }
    one.startAt().problem().ifPresent(problem -> problems.add(at + ".start-at " + problem));
    one.byType().forEach((type, own) -> byType(at, type, own, one));
  }

  private void byType(
      String destination, String type, DestinationProperties.ByType own, DestinationProperties of) {
    String at = "%s.by-type.%s".formatted(destination, type);
    if (!of.types().contains(type) && !of.types().contains("*")) {
      problems.add(
          "%s is for a type that is not routed to the destination: add '%s' to %s.types, or correct the name"
              .formatted(at, type, destination));
    }
    retry(at + ".retry", own.retry());
    if (own.notAfter() != null) {
      requirePositive(at + ".not-after", own.notAfter());
    }
    if (own.maxInFlight() != null) {
      requireAtLeastOne(at + ".max-in-flight", own.maxInFlight());
    }
    if (own.perSecond() != null) {
      requireNotNegative(at + ".per-second", own.perSecond(), "0 means no limit");
    }
  }

  private void retry(String at, @Nullable RetryChange own) {
    if (own == null) {
      return;
    }
    if (own.backoff() != null) {
      requirePositive(at + ".backoff", own.backoff());
    }
    if (own.longestBackoff() != null) {
      requirePositive(at + ".longest-backoff", own.longestBackoff());
    }
    if (own.timeLimit() != null) {
      requirePositive(at + ".time-limit", own.timeLimit());
    }
    if (own.attempts() != null) {
      requireAtLeastOne(at + ".attempts", own.attempts());
    }
    if (own.jitter() != null) {
      requireNotNegative(at + ".jitter", own.jitter(), "0 means no jitter");
    }
  }

  private void consumer(String at, ConsumerProperties one) {
    requirePositive(at + ".timeout", one.timeout());
    requireAtLeastOne(at + ".threads", one.threads());
    requireAtLeastOne(at + ".tries", one.tries());
    if (one.batch() != null) {
      requireAtLeastOne(at + ".batch", one.batch());
    }
    retry(at + ".retry", one.retry());
    one.startAt().problem().ifPresent(problem -> problems.add(at + ".start-at " + problem));
    if (one.grace().isNegative()) {
      problems.add(
          "%s.grace is %s: it must not be negative; 0s means no grace".formatted(at, one.grace()));
    }
  }

  /**
   * Checks the relay's settings.
   *
   * @param sendTimeouts of everything that the relay is to serve, by name
   */
  void checkRelay(Map<String, Duration> sendTimeouts) {
    RelayConfig config = properties.relay().config();
    requirePositive("posthorn.relay.lease", config.lease());
    requirePositive("posthorn.relay.settle-timeout", config.settleTimeout());
    requirePositive("posthorn.relay.slowest-poll", config.slowestPoll());
    config.problems().forEach(this::addRelayProblem);
    sendTimeouts.forEach(
        (name, timeout) -> config.problemWith(name, timeout).ifPresent(this::addRelayProblem));
  }

  /** Adds a problem that begins with the name of an option in Java, with its property instead. */
  private void addRelayProblem(String problem) {
    int end = problem.indexOf(' ');
    String property = problem.substring(0, end).replaceAll("([A-Z])", "-$1");
    problems.add(
        ConfigurationPropertyName.adapt("posthorn.relay." + property, '.')
            + problem.substring(end));
  }

  private void requireAtLeastOne(String property, int value) {
    if (value < 1) {
      problems.add("%s is %d: it must be at least 1".formatted(property, value));
    }
  }

  private void requireNotNegative(String property, double value, String zero) {
    if (value < 0) {
      problems.add("%s is %s: it must not be negative; %s".formatted(property, value, zero));
    }
  }

  private void requirePositive(String property, Duration value) {
    if (value.isNegative() || value.isZero()) {
      problems.add("%s is %s: it must be more than 0, for example 10s".formatted(property, value));
    }
  }
}
