package io.posthorn.testservers;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.Consumer;

/** Listens on a port of 127.0.0.1 until closed; then the operating system refuses connections. */
final class ProxyListener {
  private static final int BACKLOG = 512;

  private final ServerSocket socket;
  private final Thread thread;

  private ProxyListener(ServerSocket socket, Consumer<Socket> onAccepted) {
    this.socket = socket;
    this.thread = new Thread(() -> acceptAll(onAccepted), "fault-proxy-" + socket.getLocalPort());
    thread.setDaemon(true);
  }

  static ProxyListener on(int port, Consumer<Socket> onAccepted) {
    try {
      ServerSocket socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(Ports.loopback(port), BACKLOG);
      ProxyListener listener = new ProxyListener(socket, onAccepted);
      listener.thread.start();
      return listener;
    } catch (IOException e) {
      throw new TestServerException("the fault proxy cannot listen on port " + port + ": " + e, e);
    }
  }

  private void acceptAll(Consumer<Socket> onAccepted) {
    while (!socket.isClosed()) {
      try {
        onAccepted.accept(socket.accept());
      } catch (IOException e) {
        // The listener is closed, or the client disconnected before it was accepted.
      }
    }
  }

  boolean isClosed() {
    return socket.isClosed();
  }

  /** Returns when no client can connect any more. */
  void close() {
    try {
      socket.close();
      // The kernel keeps listening as long as a thread is inside accept().
      thread.join();
    } catch (IOException e) {
      throw new TestServerException("the fault proxy could not stop listening: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestServerException("interrupted while the fault proxy was closing", e);
    }
  }
}
