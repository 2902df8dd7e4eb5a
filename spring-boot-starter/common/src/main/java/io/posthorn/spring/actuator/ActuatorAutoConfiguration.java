package io.posthorn.spring.actuator;

import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.spring.autoconfigure.PosthornAutoConfiguration;
import io.posthorn.spring.autoconfigure.PosthornProperties;
import java.time.Clock;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Actuator's endpoint and health; the health indicator itself differs by Spring Boot version. */
@AutoConfiguration(after = PosthornAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(PostgresqlStore.class)
public class ActuatorAutoConfiguration {
  @Bean
  @ConditionalOnAvailableEndpoint
  @ConditionalOnMissingBean
  PosthornEndpoint posthornEndpoint(PostgresqlStore store) {
    return new PosthornEndpoint(store);
  }

  @Bean
  @ConditionalOnMissingBean
  OutboxHealth posthornOutboxHealth(PostgresqlStore store, PosthornProperties properties) {
    return new OutboxHealth(store, properties.health().oldestMessage(), Clock.systemUTC());
  }
}
