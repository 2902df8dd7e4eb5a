package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int SHORT_MILLIS = 150;

  private EchoServer server;
  private FaultProxy proxy;

  @BeforeEach
  void open() throws IOException {
    server = new EchoServer();
    proxy = FaultProxy.to("127.0.0.1", server.port());
  }

  @AfterEach
  void close() throws IOException {
    proxy.close();
    server.close();
  }

  @Test
  void without_a_fault_everything_passes_and_so_does_the_end() throws Exception {
    try (Socket client = connect()) {
      assertThat(echo(client, "hello")).isEqualTo("hello");
      client.shutdownOutput();
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
    assertThat(proxy.accepted()).isEqualTo(1);
  }

  @Test
  void delay_holds_bytes_back_each_way() throws Exception {
    try (Socket client = connect()) {
      echo(client, "warm");
      proxy.delay(Duration.ofMillis(100));

      long start = System.nanoTime();
      assertThat(echo(client, "late")).isEqualTo("late");

      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isBetween(Duration.ofMillis(200), PATIENCE);
    }
  }

  @Test
  void what_is_delayed_goes_at_once_when_the_delay_ends() throws Exception {
    try (Socket client = connect()) {
      proxy.delay(Duration.ofHours(1));
      send(client, "late");
      assertNothingComes(client);

      proxy.pass();

      assertThat(receive(client, 4)).isEqualTo("late");
    }
  }

  @Test
  void hold_keeps_everything_and_loses_nothing() throws Exception {
    try (Socket client = connect()) {
      echo(client, "before");
      proxy.hold();
      send(client, "held");
      assertNothingComes(client);
      assertThat(server.received()).isEqualTo("before");

      proxy.pass();

      assertThat(receive(client, 4)).isEqualTo("held");
    }
  }

  @Test
  void drop_swallows_what_is_sent_and_the_end_of_the_connection() throws Exception {
    try (Socket client = connect()) {
      echo(client, "before");
      proxy.drop();
      send(client, "lost");
      assertNothingComes(client);
    }
    proxy.pass();
    try (Socket another = connect()) {
      assertThat(echo(another, "after")).isEqualTo("after");
    }
    Waiting.until("the other connection to end", PATIENCE, () -> server.ended() == 1);
    assertThat(server.received()).isEqualTo("beforeafter");
  }

  @Test
  void a_connection_that_has_lost_bytes_never_comes_back() throws Exception {
    try (Socket client = connect()) {
      proxy.drop();
      send(client, "lost");
      assertNothingComes(client);
      proxy.pass();
      send(client, "late");
      assertNothingComes(client);
      assertThat(server.received()).isEmpty();

      proxy.reset();
      assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
    }
  }

  @Test
  void a_connection_made_while_dropping_is_accepted_and_never_reaches_the_server()
      throws Exception {
    proxy.drop();
    try (Socket client = connect()) {
      send(client, "lost");
      assertNothingComes(client);
    }
    assertThat(server.received()).isEmpty();
  }

  @Test
  void a_connection_that_was_idle_while_dropping_lives_on() throws Exception {
    try (Socket client = connect()) {
      echo(client, "before");
      proxy.drop();
      proxy.pass();
      assertThat(echo(client, "after")).isEqualTo("after");
    }
  }

  @Test
  void reset_breaks_existing_and_new_connections_until_it_ends() throws Exception {
    try (Socket existing = connect()) {
      echo(existing, "before");
      proxy.reset();
      assertThatThrownBy(() -> existing.getInputStream().read())
          .isInstanceOf(SocketException.class)
          .hasMessageContaining("reset");
    }
    Waiting.until("the server to see it", PATIENCE, () -> server.ended() == 1);
    assertThatThrownBy(() -> echo(connect(), "x")).isInstanceOf(SocketException.class);

    proxy.pass();
    try (Socket after = connect()) {
      assertThat(echo(after, "after")).isEqualTo("after");
    }
  }

  @Test
  void refuse_keeps_new_connections_out_and_leaves_existing_ones_alone() throws Exception {
    try (Socket existing = connect()) {
      echo(existing, "before");
      proxy.refuse();
      assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
      assertThat(echo(existing, "still")).isEqualTo("still");
    }

    proxy.pass();
    try (Socket after = connect()) {
      assertThat(echo(after, "after")).isEqualTo("after");
    }
  }

  @Test
  void cut_after_bytes_to_the_client_gives_it_exactly_these_and_then_the_end() throws Exception {
    try (Socket client = connect()) {
      echo(client, "before");
      Cut cut = proxy.cutAfterBytes(Direction.TO_CLIENT, 3);
      send(client, "abcdef");

      assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .isEqualTo("abc");
      cut.awaitSettled(PATIENCE);
      assertThat(server.received()).isEqualTo("beforeabcdef");
    }
  }

  @Test
  void cut_after_bytes_to_the_server_gives_it_exactly_these() throws Exception {
    try (Socket client = connect()) {
      Cut cut = proxy.cutAfterBytes(Direction.TO_SERVER, 5);
      echo(client, "abc");
      assertThat(cut.hasFired()).isFalse();
      send(client, "def");

      cut.awaitSettled(PATIENCE);
      assertThat(server.received()).isEqualTo("abcde");
      assertThat(cut.hasFired()).isTrue();
    }
  }

  @Test
  void a_cut_happens_once() throws Exception {
    Cut cut = proxy.cutBeforeForward(StreamMatcher.token("stop"));
    try (Socket first = connect();
        Socket second = connect()) {
      assertThat(echo(second, "go")).isEqualTo("go");
      send(first, "stop");
      assertThat(first.getInputStream().read()).isEqualTo(-1);
      cut.awaitFired(PATIENCE);

      assertThat(echo(second, "stop")).isEqualTo("stop");
    }
  }

  @Test
  void cut_before_forward_keeps_the_request_from_the_server() throws Exception {
    Cut cut = proxy.cutBeforeForward(StreamMatcher.anything());
    try (Socket client = connect()) {
      send(client, "request");
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
    cut.awaitSettled(PATIENCE);
    assertThat(server.received()).isEmpty();
  }

  @Test
  void cut_before_reply_gives_the_request_to_the_server_and_no_reply_to_the_client()
      throws Exception {
    Cut cut = proxy.cutBeforeReply(StreamMatcher.chunk(bytes -> bytes[0] == 'r'));
    try (Socket client = connect()) {
      assertThat(echo(client, "hello")).isEqualTo("hello");
      send(client, "request");
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
    cut.awaitSettled(PATIENCE);
    assertThat(server.received()).isEqualTo("hellorequest");
  }

  @Test
  void a_cut_that_is_replaced_never_fires() throws Exception {
    Cut cut = proxy.cutBeforeForward(StreamMatcher.anything());
    proxy.pass();
    try (Socket client = connect()) {
      assertThat(echo(client, "hello")).isEqualTo("hello");
    }
    assertThat(cut.hasFired()).isFalse();
    assertThatThrownBy(() -> cut.awaitFired(PATIENCE)).hasMessageContaining("another fault");
  }

  @Test
  void a_server_that_is_not_there_resets_the_client() throws Exception {
    server.close();
    assertThatThrownBy(() -> echo(connect(), "x")).isInstanceOf(SocketException.class);
  }

  @Test
  void a_closed_proxy_refuses_and_takes_no_more_faults() {
    proxy.close();

    assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
    assertThatThrownBy(proxy::drop).hasMessageContaining("closed");
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket();
    socket.connect(Ports.loopback(proxy.port()));
    socket.setSoTimeout((int) PATIENCE.toMillis());
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String receive(Socket socket, int bytes) throws IOException {
    return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.UTF_8);
  }

  private static String echo(Socket socket, String text) throws IOException {
    send(socket, text);
    return receive(socket, text.length());
  }

  private static void assertNothingComes(Socket socket) throws IOException {
    socket.setSoTimeout(SHORT_MILLIS);
    assertThatThrownBy(() -> socket.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
    socket.setSoTimeout((int) PATIENCE.toMillis());
  }
}
