package io.posthorn.spring;

import static io.posthorn.spring.Messages.noted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.InProcess;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.relay.Destination;
import io.posthorn.postgresql.Grants;
import io.posthorn.postgresql.Tables;
import io.posthorn.spring.actuator.OutboxHealth;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class OutboxHealthTest {
  private static final Actor US = new Actor("the test", "it is part of it");

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    Destination mail() {
      InProcess handlers = InProcess.handlers().on("Noted", message -> {}).build();
      return Destination.named("mail", handlers).types("Noted").build();
    }
  }

  @Test
  void a_destination_that_no_relay_serves_and_a_message_that_waits_too_long_are_reported() {
    String url = App.freshDatabase();
    try (App app = App.start(url, Shop.class)) {
      await().untilAsserted(() -> assertThat(problems(app)).isEmpty());
    }

    try (App app =
        App.start(
            url,
            Shop.class,
            "posthorn.relay.enabled=false",
            "posthorn.health.oldest-message=1ms")) {
      assertThat(problems(app)).containsExactly("no relay serves it");
      app.inTransaction(tx -> app.outbox().add(noted("waits")));

      await().untilAsserted(() -> assertThat(problems(app)).hasSize(2));
      assertThat(problems(app).get(0)).startsWith("the oldest message has waited since ");

      Steering.on(app.bean(OperatorStore.class)).pause("mail", US);
      assertThat(problems(app)).containsExactly("no relay serves it");
    }
  }

  @Test
  void an_application_that_may_only_write_is_not_down() {
    String url = App.freshDatabase();
    try (App owner = App.start(url, Shop.class, "posthorn.relay.enabled=false")) {
      owner.jdbc().sql("CREATE ROLE health_writer LOGIN").update();
      for (String grant : new Grants(Tables.DEFAULT).writer("health_writer").split(";\n")) {
        owner.jdbc().sql(grant).update();
      }
    }

    try (App writer =
        App.start(
            url.replace("user=postgres", "user=health_writer"),
            Shop.class,
            "posthorn.migrate=false",
            "posthorn.relay.enabled=false")) {
      writer.inTransaction(tx -> writer.outbox().add(noted("written")));
      OutboxHealth.Report report = writer.bean(OutboxHealth.class).report();
      assertThat(report.status()).isEqualTo("UNKNOWN");
      assertThat(report.details().get("why").toString()).contains("POSTHORN-010", "schema grants");
    }
  }

  private static List<String> problems(App app) {
    return app.bean(OutboxHealth.class).report().problems().getOrDefault("mail", List.of());
  }
}
