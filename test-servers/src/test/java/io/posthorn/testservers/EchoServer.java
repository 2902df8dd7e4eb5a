package io.posthorn.testservers;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends back what it receives, and remembers it. */
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

  /** Returns everything received, on all connections. */
  String received() {
    return received.toString(StandardCharsets.UTF_8);
  }

  /** Returns how many connections have ended. */
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
      // The server is closed.
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
      // A reset connection counts as ended too.
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
