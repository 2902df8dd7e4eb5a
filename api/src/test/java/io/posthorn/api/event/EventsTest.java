package io.posthorn.api.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.api.RunningApi;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventsTest {
  private static HttpURLConnection listen(RunningApi api) throws IOException {
    URI uri = URI.create("http://127.0.0.1:%d/api/v1/databases/shop/events".formatted(api.port()));
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    connection.setRequestProperty("X-Caller", "anna=VIEWER");
    connection.setReadTimeout(20_000);
    return connection;
  }

  private static String event(BufferedReader reader) throws IOException {
    StringBuilder event = new StringBuilder();
    for (String line = reader.readLine();
        line != null && !line.isEmpty();
        line = reader.readLine()) {
      event.append(line).append('\n');
    }
    return event.toString();
  }

  @Test
  void listeners_get_figures_again_and_again_and_are_counted() throws Exception {
    try (RunningApi api = new RunningApi()) {
      LiveFigures figures = api.context().getBean(LiveFigures.class);
      HttpURLConnection connection = listen(api);
      assertThat(connection.getHeaderField("content-type")).startsWith("text/event-stream");
      try (BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8))) {
        assertThat(event(reader)).startsWith("id: 1\nevent: figures\ndata: {\"destinations\":");
        assertThat(event(reader)).startsWith("id: 2\nevent: figures\n");
        assertThat(figures.listeners()).isEqualTo(1);
      }
      connection.disconnect();
      await().until(() -> figures.listeners() == 0);
    }
  }

  @Test
  void a_listener_that_reads_nothing_delays_no_other() throws Exception {
    try (RunningApi api = new RunningApi()) {
      List<Socket> silent = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.port());
        socket.setReceiveBufferSize(1024);
        socket
            .getOutputStream()
            .write(
                "GET /api/v1/databases/shop/events HTTP/1.1\r\nHost: x\r\nX-Caller: a=VIEWER\r\n\r\n"
                    .getBytes(StandardCharsets.UTF_8));
        silent.add(socket);
      }
      HttpURLConnection connection = listen(api);
      try (BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8))) {
        for (int i = 1; i <= 3; i++) {
          assertThat(event(reader)).startsWith("id: " + i);
        }
      }
      for (Socket socket : silent) {
        socket.close();
      }
      await().until(() -> api.context().getBean(LiveFigures.class).listeners() == 0);
    }
  }
}
