package io.posthorn.testservers;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.Consumer;

/** Listens on a port of 127.0.0.1 until closed; from then on the operating system refuses. */
final class ProxyListener {
  private static final int BACKLOG = 512;

  private final ServerSocket socket;

  private ProxyListener(ServerSocket socket) {
    this.socket = socket;
  }

  static ProxyListener on(int port, Consumer<Socket> onAccepted) {
    try {
      ServerSocket socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(Ports.loopback(port), BACKLOG);
      ProxyListener listener = new ProxyListener(socket);
      Thread thread = new Thread(() -> listener.acceptAll(onAccepted), "fault-proxy-" + port);
      thread.setDaemon(true);
      thread.start();
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
        // Closed, or the client was gone before it was let in.
      }
    }
  }

  boolean isClosed() {
    return socket.isClosed();
  }

  void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new TestServerException("the fault proxy could not stop listening: " + e, e);
    }
  }
}
