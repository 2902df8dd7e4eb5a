package io.posthorn.webhook;

import static io.posthorn.testkit.TestMessages.typed;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * No response takes more than its share of memory, or keeps the connector from the next message.
 */
class HostileResponseTest {
  /** Bytes in the sockets' buffers count as written, although the client has not read them. */
  private static final long IN_BUFFERS = 16L << 20;

  /** Threads per client: two that read and write, and one that starts them. */
  private static final long PER_CLIENT = 3;

  private static final String OK = "HTTP/1.1 204 X\r\n\r\n";

  private static void plain(OutputStream out, String response) throws Exception {
    out.write(response.getBytes(ISO_8859_1));
  }

  @ParameterizedTest
  @EnumSource(Attack.class)
  void a_response_without_end_is_dropped_and_the_next_message_is_sent(Attack attack) {
    HostileServer.Behaviour byType =
        (head, out) -> {
          if (head.contains("ce-type: evil")) {
            attack.run(out);
          } else {
            plain(out, OK);
          }
        };
    try (HostileServer server = new HostileServer(byType);
        WebhookConnector connector = new WebhookConnector(Sent.to(server.port()).build())) {
      Outcome outcome = Sent.once(connector, typed("Evil", "e"));
      assertThat(Sent.text(outcome)).as(String.valueOf(outcome)).isEqualTo(attack.outcome);
      assertThat(Sent.once(connector, typed("Good", "g"))).isEqualTo(Outcome.SENT);
      // The client does not read the rest later either.
      assertThat(server.written.get()).isLessThan(IN_BUFFERS);
    }
  }

  @Test
  void a_success_whose_body_drips_gives_its_connection_back_soon() {
    HostileServer.Behaviour drip =
        (head, out) -> {
          plain(out, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
          for (int i = 0; i < 400; i++) {
            out.write('x');
            Thread.sleep(50);
          }
        };
    try (HostileServer server = new HostileServer(drip);
        WebhookConnector connector =
            new WebhookConnector(
                Sent.to(server.port()).maxConnections(1).timeout(Duration.ofSeconds(10)).build())) {
      // Several tries, because the client sometimes loses the cancellation of an exchange.
      for (int i = 0; i < 8; i++) {
        assertThat(Sent.once(connector, typed("Good", "g" + i))).isEqualTo(Outcome.SENT);
      }
    }
  }

  @Test
  void a_head_that_drips_gives_its_connection_back_in_time() {
    HostileServer.Behaviour byType =
        (head, out) -> {
          if (head.contains("ce-type: good")) {
            plain(out, OK);
            return;
          }
          plain(out, "HTTP/1.1 200 OK\r\nx: ");
          for (int i = 0; i < 1_000; i++) {
            out.write('x');
            Thread.sleep(20);
          }
        };
    try (HostileServer server = new HostileServer(byType);
        WebhookConnector connector =
            new WebhookConnector(
                Sent.to(server.port()).maxConnections(1).timeout(Duration.ofSeconds(1)).build())) {
      for (int i = 0; i < 5; i++) {
        assertThat(Sent.text(Sent.once(connector, typed("Evil", "e" + i))))
            .isEqualTo("Unavailable TIMEOUT");
        await().until(() -> Sent.once(connector, typed("Good", "g")).equals(Outcome.SENT));
      }
    }
  }

  @Test
  void a_compressed_body_is_neither_asked_for_nor_unpacked() throws Exception {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write("unpacked".repeat(100_000).getBytes(ISO_8859_1));
    }
    Queue<String> heads = new ConcurrentLinkedQueue<>();
    HostileServer.Behaviour bomb =
        (head, out) -> {
          heads.add(head);
          plain(
              out,
              "HTTP/1.1 500 X\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
                  .formatted(packed.size()));
          packed.writeTo(out);
        };
    try (HostileServer server = new HostileServer(bomb)) {
      Outcome outcome = Sent.once(Sent.to(server.port()), typed("Good", "g"));
      assertThat(Sent.text(outcome)).isEqualTo("Failed HTTP_500");
      assertThat(outcome.toString()).doesNotContain("unpacked");
    }
    assertThat(heads).hasSize(1).noneMatch(head -> head.contains("accept-encoding"));
  }

  @Test
  void headers_as_real_receivers_send_them_are_read() {
    String security = "content-security-policy: " + "default-src 'self'; ".repeat(300) + "\r\n";
    String cookies = "set-cookie: a=" + "b".repeat(1_000) + "\r\n";
    try (HostileServer server =
        new HostileServer(
            (head, out) ->
                plain(
                    out,
                    "HTTP/1.1 103 Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n"
                        + security
                        + cookies.repeat(20)
                        + "Content-Length: 4\r\n\r\ndone"))) {
      try (WebhookConnector connector = new WebhookConnector(Sent.to(server.port()).build())) {
        // Many responses on one connection: the limit is per response, not per connection.
        for (int i = 0; i < 20; i++) {
          assertThat(Sent.once(connector, typed("Good", "g" + i))).isEqualTo(Outcome.SENT);
        }
      }
    }
  }

  @Test
  void a_client_that_has_died_is_replaced() {
    try (HostileServer server = new HostileServer((head, out) -> plain(out, OK));
        WebhookConnector connector =
            new WebhookConnector(Sent.to(server.port()).timeout(Duration.ofSeconds(2)).build())) {
      for (int death = 0; death < 3; death++) {
        Deaths.die(connector);
        // Whichever thread has ended, no failure of the next messages counts as theirs.
        await()
            .atMost(Duration.ofSeconds(10))
            .until(
                () -> {
                  Outcome next = Sent.once(connector, typed("Good", "g"));
                  assertThat(next).isNotInstanceOfAny(Outcome.Failed.class, Outcome.Rejected.class);
                  return next.equals(Outcome.SENT);
                });
        for (int i = 0; i < 8; i++) {
          assertThat(Sent.once(connector, typed("Good", "h" + i))).isEqualTo(Outcome.SENT);
        }
      }
      await("what the dead ones had").until(() -> clientThreads() <= PER_CLIENT);
    }
    await("what the last one had").until(() -> clientThreads() == 0);
  }

  private static long clientThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("posthorn-webhook-io"))
        .count();
  }

  @Test
  void what_was_under_way_when_the_client_died_is_not_the_message_s_fault() {
    HostileServer.Behaviour slow =
        (head, out) -> {
          if (head.contains("ce-type: slow")) {
            Thread.sleep(60_000);
          }
          plain(out, OK);
        };
    try (HostileServer server = new HostileServer(slow);
        WebhookConnector connector =
            new WebhookConnector(Sent.to(server.port()).timeout(Duration.ofSeconds(2)).build())) {
      // Occupies both threads of the client.
      List<CompletableFuture<Outcome>> waiting = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        connector.send(List.of(typed("Slow", "s" + i)), (index, it) -> answer.complete(it));
        waiting.add(answer);
      }
      Deaths.die(connector);
      await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> Sent.once(connector, typed("Good", "g")).equals(Outcome.SENT));
      assertThat(waiting)
          .allSatisfy(
              answer ->
                  assertThat(answer.orTimeout(20, TimeUnit.SECONDS).join())
                      .isInstanceOf(Outcome.Unavailable.class));
    }
  }
}
