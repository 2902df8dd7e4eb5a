package io.posthorn.console;

import io.posthorn.api.ApiConfiguration;
import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Callers;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.OperatedDatabases;
import io.posthorn.api.access.Right;
import io.posthorn.api.access.Role;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Locale;
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
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;

/**
 * The console over these databases. The cookie {@code role} says who looks; without it an admin.
 */
final class TestConsole implements AutoCloseable {
  private final ConfigurableApplicationContext context;

  private TestConsole(ConfigurableApplicationContext context) {
    this.context = context;
  }

  static TestConsole over(int port, OperatedDatabase... databases) {
    SpringApplication application = new SpringApplication(Web.class);
    application.setBannerMode(Banner.Mode.OFF);
    application.setRegisterShutdownHook(false);
    application.setDefaultProperties(
        Map.of(
            "server.port",
            port,
            "server.address",
            "127.0.0.1",
            "spring.main.web-application-type",
            "servlet"));
    application.addInitializers(
        made -> {
          GenericApplicationContext generic = (GenericApplicationContext) made;
          generic.registerBean(
              OperatedDatabases.class, () -> OperatedDatabases.of(List.of(databases)));
          generic.registerBean(Callers.class, () -> TestConsole::callerOf);
        });
    return new TestConsole(application.run());
  }

  static TestConsole over(Shop shop) {
    return over(0, OperatedDatabase.of("shop", "production", shop.store()));
  }

  private static Caller callerOf(HttpServletRequest request) {
    Role role = Role.ADMIN;
    Cookie[] cookies = request.getCookies();
    if (cookies != null) {
      for (Cookie cookie : cookies) {
        if (cookie.getName().equals("role")) {
          role = Role.valueOf(cookie.getValue());
        }
      }
    }
    return new As(role);
  }

  private record As(Role role) implements Caller {
    @Override
    public String name() {
      return role == Role.ADMIN ? "rui" : role.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public boolean may(Right right, String database) {
      return role.rights().contains(right);
    }
  }

  String url() {
    int port =
        Objects.requireNonNull(((ServletWebServerApplicationContext) context).getWebServer())
            .getPort();
    return "http://127.0.0.1:" + port + "/posthorn";
  }

  @Override
  public void close() {
    context.close();
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    TomcatServletWebServerAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    WebMvcAutoConfiguration.class
  })
  @Import({ApiConfiguration.class, ConsoleConfiguration.class})
  static class Web {}
}
