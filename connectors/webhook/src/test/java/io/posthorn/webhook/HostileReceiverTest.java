package io.posthorn.webhook;

import static io.posthorn.testkit.TestMessages.message;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Receivers that violate the protocol, or respond slowly, get no more than their time limit. */
class HostileReceiverTest {
  private static final String HEAD = "HTTP/1.1 %d X\r\nContent-Length: 1000000000\r\n\r\n";

  interface Behaviour {
    void answer(Socket connection, OutputStream out) throws Exception;
  }

  private static Outcome to(Behaviour behaviour) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread thread =
          new Thread(
              () -> {
                try (Socket connection = server.accept()) {
                  byte[] buffer = new byte[10_000];
                  if (connection.getInputStream().read(buffer) > 0) {
                    behaviour.answer(connection, connection.getOutputStream());
                  }
                } catch (Exception e) {
                  // The client has closed the connection.
                }
              });
      thread.setDaemon(true);
      thread.start();
      return Sent.once(
          Sent.to("http://127.0.0.1:" + server.getLocalPort() + "/").timeout(Duration.ofSeconds(1)),
          message("m"));
    }
  }

  private static void drip(OutputStream out) throws Exception {
    for (int i = 0; i < 200; i++) {
      out.write('x');
      out.flush();
      Thread.sleep(50);
    }
  }

  @Test
  void a_success_counts_when_its_status_is_there_however_slowly_its_body_comes()
      throws IOException {
    long start = System.nanoTime();
    Outcome outcome =
        to(
            (connection, out) -> {
              out.write(HEAD.formatted(200).getBytes(UTF_8));
              drip(out);
            });
    assertThat(outcome).isEqualTo(Outcome.SENT);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
  }

  @Test
  void a_failure_whose_body_never_ends_is_reported_by_its_status_in_time() throws IOException {
    long start = System.nanoTime();
    Outcome outcome =
        to(
            (connection, out) -> {
              out.write(HEAD.formatted(503).getBytes(UTF_8));
              drip(out);
            });
    assertThat(Sent.text(outcome)).isEqualTo("Failed HTTP_503");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
  }

  @Test
  void headers_that_never_end_are_a_timeout() throws IOException {
    Outcome outcome =
        to(
            (connection, out) -> {
              out.write("HTTP/1.1 200 OK\r\nx: ".getBytes(UTF_8));
              drip(out);
            });
    assertThat(Sent.text(outcome)).isEqualTo("Unavailable TIMEOUT");
  }

  @Test
  void a_huge_body_is_not_read() throws IOException {
    long[] written = {0};
    Outcome outcome =
        to(
            (connection, out) -> {
              out.write(HEAD.formatted(500).getBytes(UTF_8));
              byte[] chunk = new byte[64 * 1024];
              while (written[0] < 1_000_000_000) {
                out.write(chunk);
                written[0] += chunk.length;
              }
            });
    assertThat(Sent.text(outcome)).isEqualTo("Failed HTTP_500");
    assertThat(written[0]).isLessThan(100_000_000);
  }

  @Test
  void a_receiver_that_hangs_up_before_the_answer_is_at_fault() throws IOException {
    Outcome outcome =
        to(
            (connection, out) -> {
              connection.setSoLinger(true, 0);
              connection.close();
            });
    assertThat(Sent.text(outcome)).isEqualTo("Unavailable TRANSIENT_NETWORK");
  }

  @Test
  void what_is_no_http_is_the_receiver_s_fault() throws IOException {
    Outcome outcome = to((connection, out) -> out.write("220 smtp ready\r\n\r\n".getBytes(UTF_8)));
    assertThat(Sent.text(outcome)).isEqualTo("Unavailable HTTP_PROTOCOL");
  }

  @Test
  void no_answer_is_a_timeout() throws IOException {
    assertThat(Sent.text(to((connection, out) -> Thread.sleep(10_000))))
        .isEqualTo("Unavailable TIMEOUT");
  }
}
