package io.posthorn.spring.boot3;

import io.posthorn.spring.actuator.OutboxHealth;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** Shows {@link OutboxHealth}; DOWN only if the database cannot be queried. */
final class PosthornHealthIndicator extends AbstractHealthIndicator {
  private final OutboxHealth outbox;

  PosthornHealthIndicator(OutboxHealth outbox) {
    super("The outbox could not be queried");
    this.outbox = outbox;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    OutboxHealth.Report report = outbox.report();
    builder.status(report.status()).withDetails(report.details());
  }
}
