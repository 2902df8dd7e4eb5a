package io.posthorn.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Finding;
import io.posthorn.testservers.EmbeddedRabbitMq;
import io.posthorn.testservers.Ports;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Policies are seen by the management plugin alone. */
class ManagementTest {
  @Test
  void a_policy_by_which_messages_vanish_is_told_by_the_management_plugin() {
    int port = Ports.free();
    try (EmbeddedRabbitMq server =
            EmbeddedRabbitMq.builder()
                .plugin("rabbitmq_management")
                .setting("management.tcp.ip", "127.0.0.1")
                .setting("management.tcp.port", Integer.toString(port))
                .start();
        Topology topology = new Topology(server.port())) {
      RabbitMqSourceConfig.Builder config =
          RabbitMqSourceFixture.config(server.port(), topology.queue);
      RabbitMqSource blind = new RabbitMqSource(config.build());
      RabbitMqSource seeing =
          new RabbitMqSource(config.management("http://127.0.0.1:" + port).build());
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> assertThat(problems(seeing)).isEmpty());
      server.control("set_policy", "short", "^q-", "{\"message-ttl\":60000,\"max-length\":5}");
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () -> assertThat(problems(seeing)).containsExactly("EXPIRY", "LENGTH_LIMIT"));
      assertThat(blind.check("shop"))
          .noneMatch(Finding::problem)
          .anyMatch(finding -> finding.text().contains("policies are not seen"));
      RabbitMqSource wrong =
          new RabbitMqSource(config.management("http://127.0.0.1:" + Ports.free()).build());
      assertThat(problems(wrong)).containsExactly("MANAGEMENT");
    }
  }

  private static List<String> problems(RabbitMqSource source) {
    return source.check("shop").stream().filter(Finding::problem).map(Finding::name).toList();
  }
}
