package io.posthorn.spring.actuator;

import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.operate.story.Messages;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.spring.autoconfigure.OperateAutoConfiguration;
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
@AutoConfiguration(after = {PosthornAutoConfiguration.class, OperateAutoConfiguration.class})
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
  @ConditionalOnAvailableEndpoint(endpoint = PosthornEndpoint.class)
  @ConditionalOnMissingBean
  PosthornWebExtension posthornWebExtension(PosthornEndpoint endpoint) {
    return new PosthornWebExtension(endpoint);
  }

  @Bean
  @ConditionalOnAvailableEndpoint
  @ConditionalOnMissingBean
  DeadLettersEndpoint posthornDeadLettersEndpoint(
      DeadLetters letters, PosthornProperties properties) {
    return new DeadLettersEndpoint(letters, properties.actuator().showPayloads());
  }

  @Bean
  @ConditionalOnAvailableEndpoint
  @ConditionalOnMissingBean
  MessagesEndpoint posthornMessagesEndpoint(Messages messages, PosthornProperties properties) {
    return new MessagesEndpoint(messages, properties.actuator().showPayloads());
  }

  @Bean
  @ConditionalOnAvailableEndpoint
  @ConditionalOnMissingBean
  OperationsEndpoint posthornOperationsEndpoint(Operations operations) {
    return new OperationsEndpoint(operations);
  }

  @Bean
  @ConditionalOnAvailableEndpoint
  @ConditionalOnMissingBean
  ParkedEndpoint posthornParkedEndpoint(Steering steering) {
    return new ParkedEndpoint(steering);
  }

  @Bean
  @ConditionalOnAvailableEndpoint
  @ConditionalOnMissingBean
  AuditEndpoint posthornAuditEndpoint(Audit audit) {
    return new AuditEndpoint(audit);
  }

  @Bean
  @ConditionalOnMissingBean
  OutboxHealth posthornOutboxHealth(PostgresqlStore store, PosthornProperties properties) {
    return new OutboxHealth(store, properties.health().oldestMessage(), Clock.systemUTC());
  }
}
