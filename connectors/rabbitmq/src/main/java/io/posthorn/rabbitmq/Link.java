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
 * One connection, and its socket: a thread that hangs in a write to a broker that reads nothing is
 * freed by nothing but the end of the socket. The client's own recovery is off: it would bring back
 * channels whose unconfirmed messages were answered already.
 */
final class Link {
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);
  private static final Duration GOODBYE = Duration.ofSeconds(1);

  /** The end of a connection is an outcome of each message on it; a warning beside it is noise. */
  private static final ExceptionHandler QUIET =
      new ForgivingExceptionHandler() {
        @Override
        public void handleUnexpectedConnectionDriverException(
            Connection connection, Throwable exception) {
          // told by the shutdown listener
        }
      };

  private final Connection connection;
  private final AtomicReference<@Nullable Socket> socket;
  private final ScheduledExecutorService clock;
  private volatile @Nullable String blocked;
  private volatile boolean ended;

  private Link(
      Connection connection,
      AtomicReference<@Nullable Socket> socket,
      ScheduledExecutorService clock) {
    this.connection = connection;
    this.socket = socket;
    this.clock = clock;
  }

  /** Connects, within the time for it. */
  static Link open(Access config, ScheduledExecutorService clock)
      throws IOException, TimeoutException {
    AtomicReference<@Nullable Socket> socket = new AtomicReference<>();
    ConnectionFactory factory = factory(config, socket);
    int usual = config.tls() == null ? ConnectionFactory.DEFAULT_AMQP_PORT : 5671;
    List<Address> brokers =
        config.brokers().stream()
            .map(broker -> new Address(broker.host(), broker.port() == 0 ? usual : broker.port()))
            .toList();
    // The client has a time limit for each step, none for all of them together.
    ScheduledFuture<?> limit =
        clock.schedule(
            () -> end(socket.get()), config.connectTimeout().toNanos(), TimeUnit.NANOSECONDS);
    try {
      Link link = new Link(factory.newConnection(brokers, "posthorn"), socket, clock);
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
    int most = Math.toIntExact(config.connectTimeout().toMillis());
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUsername(credentials.user());
    factory.setPassword(credentials.password());
    factory.setVirtualHost(config.virtualHost());
    factory.setAutomaticRecoveryEnabled(false);
    factory.setTopologyRecoveryEnabled(false);
    factory.setRequestedHeartbeat(Math.toIntExact(HEARTBEAT.toSeconds()));
    factory.setConnectionTimeout(most);
    factory.setHandshakeTimeout(most);
    factory.setChannelRpcTimeout(most);
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

  /** Not from the moment on that it is ended here; the client notices only some time later. */
  boolean isOpen() {
    return !ended && connection.isOpen();
  }

  /** Why the broker takes no messages for now, for example low memory; none if it does. */
  @Nullable String blocked() {
    return isOpen() ? blocked : null;
  }

  /** Ends it without a word to the broker. What waits for an answer gets it from the client. */
  void end() {
    ended = true;
    end(socket.get());
  }

  /** Says goodbye, and does not wait long for the answer. */
  void close() {
    ScheduledFuture<?> limit =
        clock.schedule((Runnable) this::end, GOODBYE.toNanos(), TimeUnit.NANOSECONDS);
    try {
      connection.abort(Math.toIntExact(GOODBYE.toMillis()));
    } catch (ShutdownSignalException gone) {
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
      // Without lingering: closing must not wait for the write that it is to interrupt.
      socket.setSoLinger(true, 0);
    } catch (IOException closed) {
      // then there is nothing to linger for
    }
    try {
      socket.close();
    } catch (IOException closed) {
      // it is not open any more, which is all that matters
    }
  }
}
