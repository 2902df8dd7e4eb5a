package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.posthorn.core.connector.InProcess;
import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.OutboxMessage;
import io.posthorn.core.relay.Destination;
import io.posthorn.observe.OutboxMetrics;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** With posthorn-observe and Actuator on the class path, metrics need no code. */
class MetricsTest {
  private static final String[] WEB = {
    "spring.main.web-application-type=servlet",
    "server.address=127.0.0.1",
    "server.port=0",
    "management.endpoints.web.exposure.include=prometheus"
  };

  @OutboxMessage
  record Weighed(@MessageKey("parcel") String parcel) {}

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    Destination scales() {
      return Destination.named("scales", InProcess.handlers().on("Weighed", message -> {}).build())
          .types("Weighed")
          .build();
    }

    @Bean
    Postage postage() {
      return new Postage();
    }
  }

  static class Postage {
    @MessageHandler(consumer = "postage")
    void price(Weighed weighed) {}
  }

  @Test
  void prometheus_gets_what_was_sent_what_was_handled_and_what_the_database_holds() {
    try (App app = App.start(Shop.class, WEB)) {
      app.inTransaction(tx -> app.outbox().add(new Weighed("p1")));

      await()
          .untilAsserted(
              () ->
                  assertThat(scrape(app))
                      .contains("outbox_publish_success_total{destination=\"scales\"")
                      .contains("inbox_handled_total{consumer=\"postage\",type=\"Weighed\"} 1")
                      .contains("outbox_pending_count{", "outbox_oldest_age_seconds{"));
    }
  }

  @Test
  void without_metrics_nothing_is_reported() {
    try (App app = App.start(Shop.class, "posthorn.metrics.enabled=false")) {
      app.inTransaction(tx -> app.outbox().add(new Weighed("p1")));

      await()
          .untilAsserted(
              () ->
                  assertThat(
                          app.jdbc()
                              .sql("SELECT count(*) FROM posthorn_receipt")
                              .query(Integer.class)
                              .single())
                      .isOne());
      assertThat(app.context().getBeanNamesForType(OutboxMetrics.class)).isEmpty();
      assertThat(app.bean(MeterRegistry.class).getMeters())
          .noneMatch(meter -> meter.getId().getName().matches("(outbox|inbox)\\..*"));
    }
  }

  private static String scrape(App app) throws Exception {
    String port = app.context().getEnvironment().getProperty("local.server.port");
    URI uri = URI.create("http://127.0.0.1:" + port + "/actuator/prometheus");
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
        .body();
  }
}
