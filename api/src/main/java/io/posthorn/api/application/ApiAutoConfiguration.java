package io.posthorn.api.application;

import io.posthorn.api.ApiConfiguration;
import io.posthorn.api.ApiControllers;
import io.posthorn.api.access.Callers;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.OperatedDatabases;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.spring.autoconfigure.OperateAutoConfiguration;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** The kernel of API and console in an application with Posthorn's starter. */
@AutoConfiguration(after = OperateAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(PostgresqlStore.class)
@EnableConfigurationProperties(ApiProperties.class)
@Import(ApiConfiguration.class)
public class ApiAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  OperatedDatabases posthornOperatedDatabases(
      ApiProperties properties,
      Environment environment,
      PostgresqlStore store,
      DeadLetters letters) {
    String place = environment.getProperty("posthorn.environment", "");
    return OperatedDatabases.of(
        List.of(OperatedDatabase.of(properties.database(), place, store).with(letters)));
  }

  @Bean
  @ConditionalOnMissingBean
  Callers posthornCallers(ApiProperties properties) {
    return new ApplicationCallers(properties.roles());
  }

  /** The API itself; the kernel alone serves the console. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnProperty("posthorn.api.enabled")
  @Import(ApiControllers.class)
  static class Served {}
}
