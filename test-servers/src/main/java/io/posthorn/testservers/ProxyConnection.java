package io.posthorn.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection through a {@link FaultProxy}: two sockets, and a thread per direction.
 */
final class ProxyConnection {
  private static final int CHUNK = 64 * 1024;

  private final FaultProxy proxy;
  private final Socket client;
  private final Socket server = new Socket();
  private final AtomicInteger pumps = new AtomicInteger();
  private volatile boolean swallowing;
  private volatile boolean serverHasEnded;
  private volatile @Nullable Cut cut;

  ProxyConnection(FaultProxy proxy, Socket client) {
    this.proxy = proxy;
    this.client = client;
  }

  /** Connects to the server, unless the fault in force prevents it, and begins to forward. */
  void begin(InetSocketAddress serverAddress) {
    Fault fault = proxy.fault();
    if (fault == SteadyFault.RESET || fault == SteadyFault.REFUSE) {
      reset();
      proxy.forget(this);
      return;
    }
    pumps.incrementAndGet();
    run(Direction.TO_SERVER, () -> connectAndPump(fault, serverAddress));
  }

  private void connectAndPump(Fault fault, InetSocketAddress serverAddress) {
    if (fault == SteadyFault.DROP) {
      swallowing = true;
    } else {
      try {
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        server.connect(serverAddress);
        pumps.incrementAndGet();
        run(Direction.TO_CLIENT, () -> pump(Direction.TO_CLIENT, server));
      } catch (IOException e) {
        // This is as close to "refused" as possible once the client has been accepted.
        reset();
      }
    }
    pump(Direction.TO_SERVER, client);
  }

  private static void run(Direction direction, Runnable task) {
    Thread thread = new Thread(task, "fault-proxy-" + direction);
    thread.setDaemon(true);
    thread.start();
  }

  private void pump(Direction direction, Socket from) {
    try {
      InputStream in = from.getInputStream();
      byte[] buffer = new byte[CHUNK];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        carry(direction, Arrays.copyOf(buffer, n));
      }
      carry(direction, new byte[0]);
    } catch (IOException e) {
      // One side broke the connection. The proxy breaks the other side, unless the two are already
      // separated.
      if (!swallowing) {
        reset();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      ended(direction);
    }
  }

  private void carry(Direction direction, byte[] chunk) throws IOException, InterruptedException {
    boolean decided = false;
    while (!decided) {
      decided = swallowing || proxy.fault().carry(this, direction, chunk);
    }
  }

  private void ended(Direction direction) {
    if (direction == Direction.TO_CLIENT) {
      serverHasEnded = true;
      settle(cut);
    }
    if (pumps.decrementAndGet() == 0) {
      closeQuietly(client);
      closeQuietly(server);
      proxy.forget(this);
    }
  }

  /** Forwards a chunk. An empty one ends the stream. */
  void forward(Direction direction, byte[] chunk) throws IOException {
    Socket to = direction == Direction.TO_SERVER ? server : client;
    if (chunk.length == 0) {
      to.shutdownOutput();
    } else {
      to.getOutputStream().write(chunk);
    }
  }

  /** Forwards nothing from now on, not even the end of a stream. */
  void swallowFromNowOn() {
    swallowing = true;
  }

  /** Ends both sides with a TCP reset. */
  void reset() {
    swallowing = true;
    resetQuietly(client);
    resetQuietly(server);
  }

  /**
   * Closes the client's side after the bytes already forwarded to it, and signals the server that
   * no more will follow. Bytes from the server are swallowed until it closes its side.
   */
  void cut(Cut cut) {
    swallowing = true;
    closeQuietly(client);
    cut.fire();
    this.cut = cut;
    try {
      server.shutdownOutput();
    } catch (IOException e) {
      resetQuietly(server);
    }
    if (serverHasEnded) {
      settle(cut);
    }
  }

  private static void settle(@Nullable Cut cut) {
    if (cut != null) {
      cut.settle();
    }
  }

  private static void resetQuietly(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // The socket is already closed.
      return;
    }
    closeQuietly(socket);
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // Nothing more can be done, and the other side sees it closed anyway.
    }
  }
}
