package io.posthorn.rabbitmq;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.posthorn.core.connector.Finding;
import io.posthorn.testservers.EmbeddedRabbitMq;
import io.posthorn.testservers.Ports;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Only the management plugin shows policies. */
class ManagementTest {
  /** Counted down when the client has closed its connection to the server. */
  private final CountDownLatch left = new CountDownLatch(1);

  @Test
  void a_policy_by_which_messages_vanish_is_reported_from_the_management_plugin() {
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
          .anyMatch(finding -> finding.text().contains("policies are visible only"));
      RabbitMqSource wrong =
          new RabbitMqSource(config.management("http://127.0.0.1:" + Ports.free()).build());
      assertThat(problems(wrong)).containsExactly("MANAGEMENT");
    }
  }

  @Test
  void a_management_plugin_that_stops_in_the_middle_of_its_answer_holds_nobody_up()
      throws IOException, InterruptedException {
    try (ServerSocket stuck = answering("Content-Length: 100\r\n\r\n{", out -> {})) {
      assertThatThrownBy(() -> settings(stuck))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("within PT1S");
      assertThat(left.await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void a_check_says_what_a_stuck_management_plugin_kept_from_it() throws IOException {
    try (RabbitMqSourceFixture rabbit = new RabbitMqSourceFixture();
        ServerSocket stuck = answering("Content-Length: 100\r\n\r\n", out -> {})) {
      RabbitMqSource source =
          new RabbitMqSource(
              RabbitMqSourceFixture.config(rabbit.server.port(), rabbit.topology.queue)
                  .management("http://127.0.0.1:" + stuck.getLocalPort())
                  .build());
      List<Finding> findings =
          assertTimeoutPreemptively(Duration.ofSeconds(4), () -> source.check("shop"));
      assertThat(findings)
          .filteredOn(Finding::problem)
          .singleElement()
          .matches(finding -> finding.name().equals("MANAGEMENT"))
          .matches(finding -> finding.text().contains("could not be requested"));
    }
  }

  @Test
  void an_answer_without_end_fills_no_memory() throws IOException, InterruptedException {
    AtomicLong written = new AtomicLong();
    Writer endless =
        out -> {
          byte[] spaces = " ".repeat(1 << 16).getBytes(US_ASCII);
          while (true) {
            out.write(spaces);
            written.addAndGet(spaces.length);
          }
        };
    try (ServerSocket hostile = answering("\r\n", endless)) {
      assertThatThrownBy(() -> settings(hostile))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("larger than");
      assertThat(left.await(5, TimeUnit.SECONDS)).isTrue();
      // The buffers of two sockets hold some bytes in addition.
      assertThat(written.get()).isLessThan(4L * Management.LARGEST);
    }
  }

  private static Map<String, String> settings(ServerSocket server) {
    RabbitMqSourceConfig config =
        RabbitMqSourceFixture.config(1, "q").connectTimeout(Duration.ofSeconds(1)).build();
    URI management = URI.create("http://127.0.0.1:" + server.getLocalPort());
    return assertTimeoutPreemptively(
        Duration.ofSeconds(2), () -> Management.settings(config, management));
  }

  interface Writer {
    void to(OutputStream out) throws IOException;
  }

  /** Accepts one connection, and keeps it open after writing this response. */
  private ServerSocket answering(String rest, Writer body) throws IOException {
    ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    Thread thread =
        new Thread(
            () -> {
              try (Socket socket = server.accept()) {
                OutputStream out = socket.getOutputStream();
                out.write(("HTTP/1.1 200 OK\r\n" + rest).getBytes(US_ASCII));
                out.flush();
                body.to(out);
                while (socket.getInputStream().read() >= 0) {
                  // the request, which the test does not need
                }
              } catch (IOException e) {
                // the client has closed the connection
              }
              left.countDown();
            });
    thread.setDaemon(true);
    thread.start();
    return server;
  }

  private static List<String> problems(RabbitMqSource source) {
    return source.check("shop").stream().filter(Finding::problem).map(Finding::name).toList();
  }
}
