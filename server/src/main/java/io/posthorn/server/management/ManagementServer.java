package io.posthorn.server.management;

import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.posthorn.server.database.Databases;
import io.posthorn.server.file.ServerFile;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * The Spring Boot application of the server. It names each auto-configuration that it uses, so that
 * no library on the class path starts anything by itself, and reads its settings from the server's
 * file only.
 */
public final class ManagementServer implements AutoCloseable {
  private final ConfigurableApplicationContext context;

  private ManagementServer(ConfigurableApplicationContext context) {
    this.context = context;
  }

  /** Creates the registry of all metrics, with those of the JVM. */
  public static PrometheusMeterRegistry registry() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    // It listens to the JVM until the JVM ends, as this registry does.
    new JvmGcMetrics().bindTo(registry);
    return registry;
  }

  /** Sets up the log and listens. Throws if the port is taken. */
  public static ManagementServer start(
      ServerFile file, Databases databases, PrometheusMeterRegistry registry) {
    SpringApplication application = new SpringApplication(Configuration.class);
    application.setBannerMode(Banner.Mode.OFF);
    // The command stops everything in order, and only then leaves the JVM.
    application.setRegisterShutdownHook(false);
    application.setLogStartupInfo(false);
    application.setEnvironment(new OnlyOurs(settings(file)));
    application.addInitializers(
        made -> {
          GenericApplicationContext generic = (GenericApplicationContext) made;
          generic.registerBean(Databases.class, () -> databases);
          generic.registerBean(PrometheusMeterRegistry.class, () -> registry);
        });
    return new ManagementServer(application.run());
  }

  /** The port that it listens on. */
  public int port() {
    return Objects.requireNonNull(((ServletWebServerApplicationContext) context).getWebServer())
        .getPort();
  }

  @Override
  public void close() {
    context.close();
  }

  private static Map<String, Object> settings(ServerFile file) {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("server.address", file.management().address());
    settings.put("server.port", file.management().port());
    settings.put("server.tomcat.threads.max", 8);
    settings.put("server.tomcat.threads.min-spare", 1);
    settings.putAll(OnlyOurs.common(file));
    return settings;
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    TomcatServletWebServerAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    WebMvcAutoConfiguration.class
  })
  static class Configuration {
    @Bean
    RouterFunction<ServerResponse> pages(Databases databases, PrometheusMeterRegistry registry) {
      return new Pages(databases, registry).routes();
    }
  }
}
