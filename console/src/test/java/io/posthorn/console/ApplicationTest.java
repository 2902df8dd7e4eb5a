package io.posthorn.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.testservers.EmbeddedPostgres;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** An application of a user, which has the console as a dependency and nothing configured. */
class ApplicationTest {
  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class App {
    @Bean
    DataSource dataSource() {
      EmbeddedPostgres server = EmbeddedPostgres.shared();
      DataSource made = server.dataSource(server.freshDatabase());
      PostgresqlStore.on(made).migrate();
      return made;
    }
  }

  private static ConfigurableApplicationContext start(Map<String, Object> more) {
    SpringApplication application = new SpringApplication(App.class);
    Map<String, Object> settings = new HashMap<>(more);
    settings.put("server.port", 0);
    settings.put("spring.application.name", "shop");
    settings.put("spring.main.banner-mode", "off");
    settings.put("posthorn.environment", "test");
    settings.put("posthorn.relay.enabled", false);
    application.setDefaultProperties(settings);
    return application.run();
  }

  private static HttpResponse<String> get(ConfigurableApplicationContext context, String path)
      throws Exception {
    int port =
        Objects.requireNonNull(((ServletWebServerApplicationContext) context).getWebServer())
            .getPort();
    return HttpClient.newBuilder()
        .followRedirects(HttpClient.Redirect.NORMAL)
        .build()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void the_console_is_mounted_in_an_application_and_only_shows() throws Exception {
    try (ConfigurableApplicationContext context = start(Map.of())) {
      HttpResponse<String> overview = get(context, "/posthorn");
      assertThat(overview.statusCode()).isEqualTo(200);
      assertThat(overview.body()).contains("Overview", "viewer");
      assertThat(get(context, "/posthorn/outbox/act/pause?all=true").statusCode()).isEqualTo(403);
      assertThat(get(context, "/posthorn/outbox/destinations").body())
          .contains("aria-disabled=\"true\"");
    }
  }

  @Test
  void the_console_can_be_moved_and_switched_off() throws Exception {
    try (ConfigurableApplicationContext context =
        start(Map.of("posthorn.console.path", "/admin/outbox"))) {
      assertThat(get(context, "/admin/outbox/").statusCode()).isEqualTo(200);
      assertThat(get(context, "/posthorn").statusCode()).isEqualTo(404);
    }
    try (ConfigurableApplicationContext context =
        start(Map.of("posthorn.console.enabled", false))) {
      assertThat(get(context, "/posthorn").statusCode()).isEqualTo(404);
    }
  }
}
