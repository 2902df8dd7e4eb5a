package io.posthorn.api.application;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.spring.autoconfigure.OperateAutoConfiguration;
import io.posthorn.spring.autoconfigure.PosthornAutoConfiguration;
import io.posthorn.testservers.EmbeddedPostgres;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The API in an application that has no security of its own. */
class ApplicationTest {
  private static ConfigurableApplicationContext start(String... properties) {
    SpringApplication application = new SpringApplication(App.class);
    Map<String, Object> all = new HashMap<>();
    all.put("server.port", 0);
    all.put("server.address", "127.0.0.1");
    all.put("spring.application.name", "shop");
    all.put("posthorn.environment", "test");
    all.put("posthorn.migrate", "true");
    for (int i = 0; i < properties.length; i += 2) {
      all.put(properties[i], properties[i + 1]);
    }
    application.setDefaultProperties(all);
    return application.run();
  }

  private static HttpResponse<String> call(
      ConfigurableApplicationContext context, String method, String path, String body)
      throws Exception {
    int port =
        Objects.requireNonNull(((ServletWebServerApplicationContext) context).getWebServer())
            .getPort();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
  }

  @Test
  void the_api_is_off_unless_the_application_wants_it() throws Exception {
    try (ConfigurableApplicationContext context = start()) {
      assertThat(call(context, "GET", "/api/v1/databases", "").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void callers_of_an_application_may_look_without_payloads_and_change_nothing() throws Exception {
    try (ConfigurableApplicationContext context = start("posthorn.api.enabled", "true")) {
      assertThat(call(context, "GET", "/api/v1/databases", "").body())
          .isEqualTo(
              "{\"items\":[{\"name\":\"outbox\",\"environment\":\"test\",\"rights\":[\"VIEW\"]}]}");
      assertThat(call(context, "GET", "/api/v1/databases/outbox/doctor", "").statusCode())
          .isEqualTo(200);
      assertThat(
              call(context, "POST", "/api/v1/databases/outbox/pauses", "{\"why\":\"x\"}")
                  .statusCode())
          .isEqualTo(403);
    }
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    TomcatServletWebServerAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    HttpMessageConvertersAutoConfiguration.class,
    WebMvcAutoConfiguration.class,
    PosthornAutoConfiguration.class,
    OperateAutoConfiguration.class,
    ApiAutoConfiguration.class
  })
  static class App {
    @Bean
    DataSource dataSource() {
      return EmbeddedPostgres.shared().dataSource(EmbeddedPostgres.shared().freshDatabase());
    }
  }
}
