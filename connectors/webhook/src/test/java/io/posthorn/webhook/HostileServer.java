package io.posthorn.webhook;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** A receiver that reads whole requests and responds with arbitrary bytes. */
final class HostileServer implements AutoCloseable {
  /** More than any client may read, and enough to fill a small heap. */
  static final long FLOOD = 64L << 20;

  /** Responds to one request; {@code head} is the request's head in lower case. */
  interface Behaviour {
    void answer(String head, OutputStream out) throws Exception;
  }

  /** The bytes that clients have read, or that the sockets' buffers hold. */
  final AtomicLong written = new AtomicLong();

  private final ServerSocket socket;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile Behaviour behaviour;

  HostileServer(Behaviour behaviour) {
    this.behaviour = behaviour;
    try {
      socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.execute(this::accept);
  }

  int port() {
    return socket.getLocalPort();
  }

  void behave(Behaviour other) {
    behaviour = other;
  }

  /** Writes this repeatedly, until the client closes the connection or all bytes are written. */
  static void flood(OutputStream out, String again) throws IOException {
    byte[] piece = again.repeat(Math.max(1, 16_384 / again.length())).getBytes(ISO_8859_1);
    for (long sent = 0; sent < FLOOD; sent += piece.length) {
      out.write(piece);
    }
  }

  private void accept() {
    try {
      while (!socket.isClosed()) {
        Socket connection = socket.accept();
        connection.setSendBufferSize(64 * 1024);
        threads.execute(() -> serve(connection));
      }
    } catch (IOException e) {
      // The server is closed.
    }
  }

  private void serve(Socket connection) {
    try (connection) {
      InputStream in = connection.getInputStream();
      OutputStream out = counting(connection.getOutputStream());
      for (String head = head(in); !head.isEmpty(); head = head(in)) {
        behaviour.answer(head, out);
        out.flush();
      }
    } catch (Exception e) {
      // The client has closed the connection.
    }
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int read = in.read();
      if (read < 0) {
        return "";
      }
      head.append((char) read);
    }
    String text = head.toString().toLowerCase(Locale.ROOT);
    int length = text.indexOf("content-length: ");
    if (length >= 0) {
      int start = length + "content-length: ".length();
      in.readNBytes(Integer.parseInt(text.substring(start, text.indexOf("\r\n", start))));
    }
    return text;
  }

  private OutputStream counting(OutputStream to) {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        to.write(b);
        written.incrementAndGet();
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        to.write(bytes, offset, length);
        written.addAndGet(length);
      }
    };
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    threads.shutdownNow();
  }
}
