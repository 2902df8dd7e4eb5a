package io.posthorn.rabbitmq;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ExceptionHandler;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.impl.ForgivingExceptionHandler;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * One connection and its socket.
 *
 * <p>A thread blocked in a write to a broker that does not read is freed only when the socket is
 * closed. The client's own recovery is off because it would restore channels whose unconfirmed
 * messages were already answered.
 */
final class BrokerConnection {
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);
  private static final Duration CLOSING = Duration.ofSeconds(1);

  /**
   * Logs nothing: each message on a connection that ends gets an outcome, so a warning is noise.
   */
  private static final ExceptionHandler QUIET =
      new ForgivingExceptionHandler() {
        @Override
        public void handleUnexpectedConnectionDriverException(
            Connection connection, Throwable exception) {
          // the shutdown listener reports it
        }
      };

  private final Connection connection;
  private final AtomicReference<@Nullable Socket> socket;
  private final ScheduledExecutorService clock;
  private volatile @Nullable String blocked;
  private volatile boolean ended;

  private BrokerConnection(
      Connection connection,
      AtomicReference<@Nullable Socket> socket,
      ScheduledExecutorService clock) {
    this.connection = connection;
    this.socket = socket;
    this.clock = clock;
  }

  /** Connects within the connect timeout. */
  static BrokerConnection open(Access config, ScheduledExecutorService clock)
      throws IOException, TimeoutException {
    AtomicReference<@Nullable Socket> socket = new AtomicReference<>();
    ConnectionFactory factory = factory(config, socket);
    int defaultPort = config.tls() == null ? ConnectionFactory.DEFAULT_AMQP_PORT : 5671;
    List<Address> brokers =
        config.brokers().stream()
            .map(
                broker ->
                    new Address(broker.host(), broker.port() == 0 ? defaultPort : broker.port()))
            .toList();
    // The client limits the time of each step, but not of all steps together.
    ScheduledFuture<?> limit =
        clock.schedule(
            () -> end(socket.get()), config.connectTimeout().toNanos(), TimeUnit.NANOSECONDS);
    try {
      BrokerConnection link =
          new BrokerConnection(factory.newConnection(brokers, "posthorn"), socket, clock);
      link.connection.addBlockedListener(
          reason -> link.blocked = reason, () -> link.blocked = null);
      return link;
    } finally {
      limit.cancel(false);
    }
  }

  private static ConnectionFactory factory(
      Access config, AtomicReference<@Nullable Socket> socket) {
    Credentials credentials = config.credentials().get();
    int timeoutMillis = Math.toIntExact(config.connectTimeout().toMillis());
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUsername(credentials.user());
    factory.setPassword(credentials.password());
    factory.setVirtualHost(config.virtualHost());
    factory.setAutomaticRecoveryEnabled(false);
    factory.setTopologyRecoveryEnabled(false);
    factory.setRequestedHeartbeat(Math.toIntExact(HEARTBEAT.toSeconds()));
    factory.setConnectionTimeout(timeoutMillis);
    factory.setHandshakeTimeout(timeoutMillis);
    factory.setChannelRpcTimeout(timeoutMillis);
    factory.setThreadFactory(Threads.named("posthorn-rabbitmq-client"));
    factory.setExceptionHandler(QUIET);
    SSLContext tls = config.tls();
    if (tls != null) {
      factory.useSslProtocol(tls);
    }
    factory.setSocketConfigurator(
        opened -> {
          socket.set(opened);
          opened.setTcpNoDelay(true);
          if (opened instanceof SSLSocket encrypted) {
            SSLParameters parameters = encrypted.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            encrypted.setSSLParameters(parameters);
          }
        });
    return factory;
  }

  Connection connection() {
    return connection;
  }

  /** Returns false as soon as the link was ended here; the client notices that only later. */
  boolean isOpen() {
    return !ended && connection.isOpen();
  }

  /** Returns why the broker accepts no messages, for example low memory, or null if it does. */
  @Nullable String blocked() {
    return isOpen() ? blocked : null;
  }

  /** Closes the socket without notifying the broker. The client then answers pending requests. */
  void end() {
    ended = true;
    end(socket.get());
  }

  /** Closes the connection properly, and waits only briefly for the broker's answer. */
  void close() {
    ScheduledFuture<?> limit =
        clock.schedule((Runnable) this::end, CLOSING.toNanos(), TimeUnit.NANOSECONDS);
    try {
      connection.abort(Math.toIntExact(CLOSING.toMillis()));
    } catch (ShutdownSignalException alreadyClosed) {
      // it was closed already
    } finally {
      limit.cancel(false);
      end();
    }
  }

  private static void end(@Nullable Socket socket) {
    if (socket == null) {
      return;
    }
    try {
      // Without lingering, closing does not wait for the write that it is meant to interrupt.
      socket.setSoLinger(true, 0);
    } catch (IOException closed) {
      // the socket is already closed
    }
    try {
      socket.close();
    } catch (IOException closed) {
      // the socket is already closed, which is all that matters
    }
  }
}
