package io.posthorn.console;

import io.posthorn.api.access.OperatedDatabases;
import io.posthorn.api.application.ApiAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Import;

/**
 * The console in an application: below {@code posthorn.console.path}, behind the application's own
 * security. It only shows, until {@code posthorn.api.roles} says who may do more.
 */
@AutoConfiguration(after = ApiAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(OperatedDatabases.class)
@ConditionalOnProperty(name = "posthorn.console.enabled", matchIfMissing = true)
@Import(ConsoleConfiguration.class)
public class ConsoleAutoConfiguration {}
