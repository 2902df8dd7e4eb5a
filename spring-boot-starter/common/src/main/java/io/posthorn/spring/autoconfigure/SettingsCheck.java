package io.posthorn.spring.autoconfigure;

import io.posthorn.core.message.Limits;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.spring.connector.DestinationProperties;
import io.posthorn.spring.handler.ConsumerProperties;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Finds values that a setting cannot have, each by its property. */
final class SettingsCheck {
  private final PosthornProperties properties;
  private final List<String> problems;

  /**
   * @param problems gets what is wrong
   */
  SettingsCheck(PosthornProperties properties, List<String> problems) {
    this.properties = properties;
    this.problems = problems;
  }

  void check() {
    long mostBytes = properties.outbox().maxPayloadSize().toBytes();
    if (mostBytes < 1 || mostBytes > Limits.MOST_PAYLOAD_BYTES) {
      problems.add(
          "posthorn.outbox.max-payload-size is %d bytes: from 1 byte to 32MB is needed"
              .formatted(mostBytes));
    }
    positive("posthorn.metrics.every", properties.metrics().every());
    atLeastOne("posthorn.metrics.most-types", properties.metrics().mostTypes());
    properties
        .destinations()
        .forEach((name, one) -> destination("posthorn.destinations." + name, one));
    properties.consumers().forEach((name, one) -> consumer("posthorn.consumers." + name, one));
  }

  private void destination(String at, DestinationProperties one) {
    positive(at + ".send-timeout", one.sendTimeout());
    positive(at + ".retry.backoff", one.retry().backoff());
    positive(at + ".retry.longest-backoff", one.retry().longestBackoff());
    positive(at + ".retry.time-limit", one.retry().timeLimit());
    atLeastOne(at + ".retry.attempts", one.retry().attempts());
    atLeastOne(at + ".max-in-flight", one.maxInFlight());
    atLeastOne(at + ".breaker-after", one.breakerAfter());
    if (one.perSecond() < 0) {
      problems.add("%s.per-second is %s: 0 is no limit".formatted(at, one.perSecond()));
    }
  }

  private void consumer(String at, ConsumerProperties one) {
    positive(at + ".timeout", one.timeout());
    atLeastOne(at + ".threads", one.threads());
    atLeastOne(at + ".tries", one.tries());
    if (one.grace().isNegative()) {
      problems.add("%s.grace is %s: 0s is none".formatted(at, one.grace()));
    }
  }

  /**
   * What concerns the relay.
   *
   * @param sendTimeouts of all that it is to serve, by name
   */
  void checkRelay(Map<String, Duration> sendTimeouts) {
    RelayConfig config = properties.relay().config();
    positive("posthorn.relay.lease", config.lease());
    positive("posthorn.relay.settle-timeout", config.settleTimeout());
    positive("posthorn.relay.slowest-poll", config.slowestPoll());
    config.problems().forEach(this::ofRelay);
    sendTimeouts.forEach(
        (name, timeout) -> config.problemWith(name, timeout).ifPresent(this::ofRelay));
  }

  /** It begins with the name of an option, as Java has it. */
  private void ofRelay(String problem) {
    int end = problem.indexOf(' ');
    String property = problem.substring(0, end).replaceAll("([A-Z])", "-$1");
    problems.add(
        ConfigurationPropertyName.adapt("posthorn.relay." + property, '.')
            + problem.substring(end));
  }

  private void atLeastOne(String property, int value) {
    if (value < 1) {
      problems.add("%s is %d: at least 1 is needed".formatted(property, value));
    }
  }

  private void positive(String property, Duration value) {
    if (value.isNegative() || value.isZero()) {
      problems.add("%s is %s: more than 0 is needed, such as 10s".formatted(property, value));
    }
  }
}
