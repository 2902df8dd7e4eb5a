package io.posthorn.spring.boot3;

import io.posthorn.spring.actuator.ActuatorAutoConfiguration;
import io.posthorn.spring.actuator.OutboxHealth;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The component {@code posthorn} of {@code /actuator/health}. */
@AutoConfiguration(after = ActuatorAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(OutboxHealth.class)
@ConditionalOnEnabledHealthIndicator("posthorn")
public class PosthornHealthAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean(name = "posthornHealthIndicator")
  PosthornHealthIndicator posthornHealthIndicator(OutboxHealth outbox) {
    return new PosthornHealthIndicator(outbox);
  }
}
