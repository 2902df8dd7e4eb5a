package io.posthorn.testservers;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends back what it gets, and remembers it. */
final class EchoServer implements AutoCloseable {
  private final ServerSocket listener;
  private final ByteArrayOutputStream received = new ByteArrayOutputStream();
  private final AtomicInteger ended = new AtomicInteger();

  EchoServer() throws IOException {
    listener = new ServerSocket();
    listener.bind(Ports.loopback(Ports.free()));
    start(this::acceptAll);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** All it got, on all connections. */
  String received() {
    return received.toString(StandardCharsets.UTF_8);
  }

  /** How many connections it has seen the end of. */
  int ended() {
    return ended.get();
  }

  private void acceptAll() {
    try {
      while (true) {
        Socket socket = listener.accept();
        start(() -> echo(socket));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void echo(Socket socket) {
    byte[] buffer = new byte[1024];
    try (socket) {
      for (int n = socket.getInputStream().read(buffer);
          n >= 0;
          n = socket.getInputStream().read(buffer)) {
        received.write(buffer, 0, n);
        socket.getOutputStream().write(buffer, 0, n);
      }
    } catch (IOException e) {
      // Reset: ended as well.
    } finally {
      ended.incrementAndGet();
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "echo");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
