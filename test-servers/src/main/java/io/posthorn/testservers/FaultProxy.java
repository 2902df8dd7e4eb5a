package io.posthorn.testservers;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A TCP proxy on 127.0.0.1 that breaks connections in the ways networks and servers do.
 *
 * <p>One fault is in force at a time, for existing and for new connections, until another is set;
 * at first that is {@link #pass}. Bytes the proxy reads after a fault was set are under that fault.
 * The faults called cut happen once, on the first connection they apply to, after which the proxy
 * passes again: a client that reconnects succeeds.
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

  /** To a server on this machine. */
  public static FaultProxy to(int port) {
    return new FaultProxy(Ports.loopback(port));
  }

  public int port() {
    return port;
  }

  /** How many connections have been accepted so far: shows whether a client has reconnected. */
  public int accepted() {
    return accepted.get();
  }

  /** Everything goes through. */
  public void pass() {
    set(SteadyFault.PASS);
  }

  /** Everything goes through later, each way. What is held back goes at once when this ends. */
  public void delay(Duration eachWay) {
    set(Delay.of(eachWay));
  }

  /**
   * Nothing goes through, but nothing is lost: it goes on when this ends. So does a network that is
   * cut for less time than TCP goes on trying, and so do late commits.
   */
  public void hold() {
    set(Delay.forever());
  }

  /**
   * A black hole: connections are accepted and stay open, what is sent is swallowed, and neither
   * side learns that the other has closed. A connection that has lost bytes stays dead when this
   * ends, until {@link #reset} or {@link #close}.
   */
  public void drop() {
    set(SteadyFault.DROP);
  }

  /** All connections are reset (RST), and new ones as soon as they are accepted. */
  public void reset() {
    set(SteadyFault.RESET);
  }

  /** New connections are refused, as if no server were there; existing ones live on. */
  public void refuse() {
    set(SteadyFault.REFUSE);
  }

  /**
   * Cuts the first connection that has carried so many bytes in this direction, counted from now,
   * after exactly these. The client sees the end of the stream.
   */
  public Cut cutAfterBytes(Direction direction, long bytes) {
    return cutOnce(cut -> new CutAfterBytes(this, cut, direction, bytes));
  }

  /**
   * Cuts when the client has sent, and the server has got, the request with which the moment comes,
   * but no byte of the answer has reached the client: it cannot know whether the request was
   * carried out. For protocols that wait for an answer; the answer to an earlier request that was
   * sent without waiting would count, too.
   */
  public Cut cutBeforeReply(StreamMatcher moment) {
    return cutOnce(cut -> new CutBeforeReply(this, cut, moment));
  }

  /**
   * Cuts when the client has sent the bytes with which the moment comes, and before the server gets
   * any of the chunk that holds them: the request is not carried out.
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

  /** For a fault that fires once. False if it comes too late: it is no longer in force. */
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
