package io.posthorn.spring.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.observe.OutboxMetrics;
import io.posthorn.postgresql.PostgresqlStore;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Registers the metrics of this application's outbox in the application's own registry. */
@AutoConfiguration(
    after = PosthornAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass({OutboxMetrics.class, MeterRegistry.class})
@ConditionalOnBean(PostgresqlStore.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
@ConditionalOnProperty(
    name = {"posthorn.metrics.enabled", "posthorn.relay.enabled"},
    havingValue = "true",
    matchIfMissing = true)
public class MetricsAutoConfiguration {
  // Spring closes it after the relay, which stops before any bean is destroyed.
  @Bean
  @ConditionalOnMissingBean
  OutboxMetrics posthornMetrics(
      MeterRegistry registry, PostgresqlStore store, PosthornProperties properties) {
    PosthornProperties.Relay relay = properties.relay();
    return OutboxMetrics.on(registry)
        .database(store)
        .retention(new RetentionTimes(relay.retention(), relay.deadRetention()))
        .every(properties.metrics().pause())
        .mostTypes(properties.metrics().mostTypes())
        .build();
  }
}
