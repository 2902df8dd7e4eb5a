package io.posthorn.server.http;

import io.posthorn.api.ApiConfiguration;
import io.posthorn.api.ApiControllers;
import io.posthorn.api.access.OperatedDatabases;
import io.posthorn.api.mask.MaskRule;
import io.posthorn.api.request.BodyLimit;
import io.posthorn.api.security.Logins;
import io.posthorn.api.security.OneTimePassword;
import io.posthorn.api.security.SecurityConfiguration;
import io.posthorn.console.ConsoleConfiguration;
import io.posthorn.server.file.HttpSettings;
import io.posthorn.server.file.ServerFile;
import io.posthorn.server.management.OnlyOurs;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.Ordered;

/** The Spring application that serves the console and the HTTP API, on a port of their own. */
public final class HttpServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
  private static final int THREADS = 32;
  private static final int CONNECTIONS = 1_000;
  private static final String COOKIE = "server.servlet.session.cookie.";

  private final ConfigurableApplicationContext context;

  private HttpServer(ConfigurableApplicationContext context) {
    this.context = context;
  }

  /** Listens. Throws if the port is taken. */
  public static HttpServer start(ServerFile file, HttpSettings http, OperatedDatabases databases) {
    OneTimePassword oneTime = http.users().isEmpty() ? new OneTimePassword() : null;
    Logins logins = new Logins(http.accounts(), http.apiTokens(), oneTime);
    SpringApplication application = new SpringApplication(Configuration.class);
    application.setBannerMode(Banner.Mode.OFF);
    application.setRegisterShutdownHook(false);
    application.setLogStartupInfo(false);
    application.setEnvironment(new OnlyOurs(settings(file, http)));
    application.addInitializers(
        made -> {
          GenericApplicationContext generic = (GenericApplicationContext) made;
          generic.registerBean(OperatedDatabases.class, () -> databases);
          generic.registerBean(Logins.class, () -> logins);
          generic.registerBean(SslBundles.class, file::sslBundles);
          int number = 0;
          for (MaskRule rule : http.rules()) {
            generic.registerBean("mask" + number++, MaskRule.class, () -> rule);
          }
        });
    HttpServer server = new HttpServer(application.run());
    server.announce(http, oneTime);
    return server;
  }

  private void announce(HttpSettings http, @Nullable OneTimePassword oneTime) {
    String scheme = http.tlsBundle() == null ? "http" : "https";
    LOG.info(
        "The console is at {}://{}:{}/, and the HTTP API at /api/v1 there",
        scheme,
        http.address(),
        port());
    if (oneTime != null) {
      LOG.warn(
          "No users are configured. Log in once as '{}' with the password {}, or add http.users to the file: 'posthorn server hash-password' makes the hashes",
          OneTimePassword.NAME,
          oneTime.text());
    }
    boolean local = http.address().startsWith("127.") || http.address().equals("localhost");
    if (http.tlsBundle() == null && !local) {
      LOG.warn(
          "The HTTP API listens on {} without TLS: passwords and payloads can be read on the way. Set http.tls-bundle, or let only a proxy with TLS reach it",
          http.address());
    }
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

  private static Map<String, Object> settings(ServerFile file, HttpSettings http) {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("server.address", http.address());
    settings.put("server.port", http.port());
    settings.put("server.tomcat.threads.max", THREADS);
    settings.put("server.tomcat.threads.min-spare", 1);
    settings.put("server.tomcat.max-connections", CONNECTIONS);
    settings.put("server.tomcat.connection-timeout", "10s");
    settings.put("server.tomcat.keep-alive-timeout", "30s");
    settings.put("server.tomcat.max-swallow-size", "1MB");
    settings.put("server.tomcat.max-http-form-post-size", "64KB");
    settings.put("server.max-http-request-header-size", "16KB");
    settings.put("server.servlet.session.timeout", http.sessionTimeout());
    settings.put("server.servlet.session.tracking-modes", "cookie");
    settings.put(COOKIE + "name", "posthorn-session");
    settings.put(COOKIE + "http-only", true);
    settings.put(COOKIE + "same-site", "strict");
    settings.put(COOKIE + "secure", http.tlsBundle() != null);
    if (http.tlsBundle() != null) {
      settings.put("server.ssl.bundle", http.tlsBundle());
    }
    settings.put("posthorn.console.path", "");
    settings.put("posthorn.login-page", "console");
    settings.put("posthorn.home", "/");
    settings.put("spring.mvc.problemdetails.enabled", false);
    settings.putAll(OnlyOurs.common(file));
    return settings;
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    TomcatServletWebServerAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    HttpMessageConvertersAutoConfiguration.class,
    WebMvcAutoConfiguration.class
  })
  @Import({
    ApiConfiguration.class,
    ApiControllers.class,
    SecurityConfiguration.class,
    ConsoleConfiguration.class,
    FallbackAdvice.class
  })
  static class Configuration {
    @Bean
    DelegatingFilterProxyRegistrationBean security() {
      return new DelegatingFilterProxyRegistrationBean("springSecurityFilterChain");
    }

    @Bean
    FilterRegistrationBean<BodyLimit> bodyLimit() {
      FilterRegistrationBean<BodyLimit> limit = new FilterRegistrationBean<>(new BodyLimit());
      limit.setOrder(Ordered.HIGHEST_PRECEDENCE);
      return limit;
    }

    /**
     * What Tomcat refuses by itself is answered without the name of the program and its version.
     */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> silentErrors() {
      return factory ->
          factory.addContextCustomizers(
              context -> {
                if (context.getParent() instanceof StandardHost host) {
                  ErrorReportValve valve = new ErrorReportValve();
                  valve.setShowReport(false);
                  valve.setShowServerInfo(false);
                  host.getPipeline().addValve(valve);
                }
              });
    }
  }
}
