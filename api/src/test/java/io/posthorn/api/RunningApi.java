package io.posthorn.api;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Callers;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.OperatedDatabases;
import io.posthorn.api.access.Right;
import io.posthorn.api.access.Role;
import io.posthorn.api.json.PosthornJson;
import io.posthorn.api.mask.MaskRule;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import tools.jackson.databind.JsonNode;

/**
 * The API on a real server and a fresh database {@code shop}. The header {@code X-Caller} names who
 * calls and their role in it, for example {@code anna=OPERATOR}; without it nobody has logged in.
 */
public final class RunningApi implements AutoCloseable {
  public static final String SHOP = "shop";

  private final HttpClient client = HttpClient.newHttpClient();
  private final DataSource dataSource;
  private final PostgresqlStore store;
  private final ConfigurableApplicationContext context;

  public RunningApi(MaskRule... rules) {
    String name = EmbeddedPostgres.shared().freshDatabase();
    this.dataSource = EmbeddedPostgres.shared().dataSource(name);
    this.store = PostgresqlStore.on(dataSource, Tables.DEFAULT);
    store.migrate();
    OperatedDatabase shop =
        OperatedDatabase.of(SHOP, "test", store)
            .adding(Outbox.on(store, MessageTypes.named("OrderPlaced")).build(), dataSource);
    OperatedDatabase other = OperatedDatabase.of("other", "test", store);
    SpringApplication application = new SpringApplication(Configuration.class);
    application.setDefaultProperties(
        Map.of("server.port", 0, "server.address", "127.0.0.1", "spring.main.banner-mode", "off"));
    application.addInitializers(
        made -> {
          GenericApplicationContext generic = (GenericApplicationContext) made;
          generic.registerBean(
              OperatedDatabases.class, () -> OperatedDatabases.of(List.of(shop, other)));
          for (MaskRule rule : rules) {
            generic.registerBean(rule.pointer(), MaskRule.class, () -> rule);
          }
          generic.registerBean(Callers.class, () -> RunningApi::caller);
        });
    this.context = application.run();
  }

  private static Caller caller(jakarta.servlet.http.HttpServletRequest request) {
    String header = request.getHeader("X-Caller");
    if (header == null) {
      return Caller.NOBODY;
    }
    String[] parts = header.split("=");
    Role role = Role.valueOf(parts[1]);
    return new Caller() {
      @Override
      public String name() {
        return parts[0];
      }

      @Override
      public boolean may(Right right, String database) {
        return database.equals(SHOP) && role.rights().contains(right);
      }
    };
  }

  public PostgresqlStore store() {
    return store;
  }

  public DataSource dataSource() {
    return dataSource;
  }

  public ConfigurableApplicationContext context() {
    return context;
  }

  public int port() {
    return Objects.requireNonNull(((ServletWebServerApplicationContext) context).getWebServer())
        .getPort();
  }

  /** An answer: its status, its headers and its body. */
  public record Answer(HttpResponse<String> response) {
    public int status() {
      return response.statusCode();
    }

    public String body() {
      return response.body();
    }

    public JsonNode json() {
      return PosthornJson.MAPPER.readTree(response.body());
    }

    public String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }
  }

  /** Calls a path below the database {@code shop} in this role. */
  public Answer as(Role role, String method, String path, String body, String... headers) {
    List<String> all = new ArrayList<>(List.of(headers));
    all.addAll(List.of("X-Caller", "anna=" + role));
    return call(method, "/api/v1/databases/shop" + path, body, all.toArray(String[]::new));
  }

  public Answer get(Role role, String path) {
    return as(role, "GET", path, "");
  }

  public Answer post(Role role, String path, String body) {
    return as(role, "POST", path, body);
  }

  /** Calls any path with these headers. */
  public Answer call(String method, String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    if (!body.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    try {
      return new Answer(client.send(request.build(), BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    context.close();
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    TomcatServletWebServerAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    HttpMessageConvertersAutoConfiguration.class,
    WebMvcAutoConfiguration.class
  })
  @Import({ApiConfiguration.class, ApiControllers.class})
  static class Configuration {}
}
