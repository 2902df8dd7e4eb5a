package io.posthorn.testservers;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A TCP proxy on 127.0.0.1 that breaks connections as networks and servers do.
 *
 * <p>One fault is in force at a time, for existing and new connections, until another is set; the
 * first is {@link #pass}. It applies to all bytes that the proxy reads after it was set. Faults
 * called cut happen once, on the first connection they apply to. Afterwards the proxy passes
 * everything again, so a client that reconnects succeeds.
 */
public final class FaultProxy implements AutoCloseable {
  private final InetSocketAddress server;
  private final int port;
  private final Set<ProxyConnection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private volatile Fault fault = SteadyFault.PASS;
  private ProxyListener listener;
  private boolean closed;

  private FaultProxy(InetSocketAddress server) {
    this.server = server;
    this.port = Ports.free();
    this.listener = ProxyListener.on(port, this::accept);
  }

  public static FaultProxy to(String host, int port) {
    return new FaultProxy(new InetSocketAddress(host, port));
  }

  /** Creates a proxy to a server on this machine. */
  public static FaultProxy to(int port) {
    return new FaultProxy(Ports.loopback(port));
  }

  public int port() {
    return port;
  }

  /** Returns the number of accepted connections, which shows whether a client has reconnected. */
  public int accepted() {
    return accepted.get();
  }

  /** Forwards everything. */
  public void pass() {
    set(SteadyFault.PASS);
  }

  /**
   * Forwards everything later, in each direction. Replacing the fault releases held bytes at once.
   */
  public void delay(Duration eachWay) {
    set(Delay.of(eachWay));
  }

  /**
   * Forwards nothing but loses nothing: the bytes go on when this fault ends. A network that is cut
   * for less time than TCP retries behaves like this; late commits are another example.
   */
  public void hold() {
    set(Delay.forever());
  }

  /**
   * Acts as a black hole: connections are accepted and stay open, all bytes are swallowed, and
   * neither side learns that the other has closed. A connection that has lost bytes stays dead
   * after this fault ends, until {@link #reset} or {@link #close}.
   */
  public void drop() {
    set(SteadyFault.DROP);
  }

  /** Resets all connections (RST), and new ones as soon as they are accepted. */
  public void reset() {
    set(SteadyFault.RESET);
  }

  /** Refuses new connections, as if there were no server; existing ones live on. */
  public void refuse() {
    set(SteadyFault.REFUSE);
  }

  /**
   * Cuts the first connection that has carried this many bytes in this direction, counted from now,
   * exactly there. The client sees the end of the stream.
   */
  public Cut cutAfterBytes(Direction direction, long bytes) {
    return cutOnce(cut -> new CutAfterBytes(this, cut, direction, bytes));
  }

  /**
   * Cuts after the server has received the request that reaches the moment, but before any byte of
   * the answer has reached the client. The client cannot know whether the request was executed. Use
   * it for protocols that wait for an answer: the answer to an earlier request, sent without
   * waiting, would count too.
   */
  public Cut cutBeforeReply(StreamMatcher moment) {
    return cutOnce(cut -> new CutBeforeReply(this, cut, moment));
  }

  /**
   * Cuts when the client has sent the bytes that reach the moment, before the server receives any
   * part of the chunk that contains them. The request is not executed.
   */
  public Cut cutBeforeForward(StreamMatcher moment) {
    return cutOnce(cut -> new CutBeforeForward(this, cut, moment));
  }

  private Cut cutOnce(Function<Cut, Fault> make) {
    Cut cut = new Cut();
    set(make.apply(cut));
    return cut;
  }

  private synchronized void set(Fault next) {
    if (closed) {
      throw new IllegalStateException("the fault proxy on port " + port + " is closed");
    }
    Fault previous = fault;
    fault = next;
    previous.replaced();
    if (next == SteadyFault.REFUSE) {
      listener.close();
    } else if (listener.isClosed()) {
      listener = ProxyListener.on(port, this::accept);
    }
    if (next == SteadyFault.RESET) {
      connections.forEach(ProxyConnection::reset);
    }
  }

  Fault fault() {
    return fault;
  }

  /** Ends a one-time fault. Returns false if it is too late: another fault is already in force. */
  synchronized boolean replaceOnce(Fault fired) {
    if (fault != fired) {
      return false;
    }
    fault = SteadyFault.PASS;
    return true;
  }

  private void accept(Socket client) {
    accepted.incrementAndGet();
    ProxyConnection connection = new ProxyConnection(this, client);
    connections.add(connection);
    connection.begin(server);
  }

  void forget(ProxyConnection connection) {
    connections.remove(connection);
  }

  /** Resets all connections and stops listening. */
  @Override
  public synchronized void close() {
    if (!closed) {
      reset();
      listener.close();
      closed = true;
    }
  }
}
