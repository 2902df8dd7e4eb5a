package io.posthorn.spring.autoconfigure;

import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.spring.connector.PropertyConnectors;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** A relay for the application's destinations, and subscriptions for its handlers. */
@AutoConfiguration(after = PosthornAutoConfiguration.class)
@ConditionalOnBean(PostgresqlStore.class)
@ConditionalOnProperty(name = "posthorn.relay.enabled", havingValue = "true", matchIfMissing = true)
public class RelayAutoConfiguration {
  @Bean
  RelayLifecycle posthornRelay(
      Configured configured,
      PosthornProperties properties,
      OutboxDataSource outbox,
      PropertyConnectors connectors,
      ListableBeanFactory beans) {
    return new RelayLifecycle(
        new BusMaker(configured, properties, outbox, connectors, beans)::make);
  }
}
