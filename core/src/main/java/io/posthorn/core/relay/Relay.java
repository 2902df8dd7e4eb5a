package io.posthorn.core.relay;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.trace.Tracing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the messages of an outbox to destinations. You can start several relays, in one program
 * or in many: they share the destinations, and when one stops, the others take over its part.
 */
public final class Relay implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

  private final RelayThread thread;
  private final @Nullable Outbox outbox;
  private final List<Destination> destinations;
  private final AtomicBoolean connectorsClosed = new AtomicBoolean();

  private Relay(Builder builder) {
    this.thread = new RelayThread(builder);
    this.outbox = builder.outbox;
    this.destinations = List.copyOf(builder.destinations);
  }

  /**
   * Begins the configuration of a relay on this store.
   *
   * @param application the name of the application that owns the destinations; several applications
   *     can share a database
   * @param environment the name of the environment, for example {@code production}. It is stored in
   *     the database, and a relay of another environment refuses to start there, so that a copy of
   *     production sends nothing.
   */
  public static Builder on(RelayStore store, String application, String environment) {
    return new Builder(store, application, environment);
  }

  /**
   * Delivers messages until {@link #close}. Throws if the database is not prepared for this relay,
   * for example if it belongs to another environment.
   */
  public Relay start() {
    thread.start();
    if (outbox != null) {
      outbox.listen(thread.lookout());
    }
    return this;
  }

  /** Checks the log for new messages at once. */
  public void wake() {
    thread.lookout().committed();
  }

  /** Checks at once whether parked messages of this destination are due. */
  public void wakeParked(String destination) {
    thread.lookout().parkedDue(destination);
  }

  /**
   * Stops without causing duplicates: claims nothing more, waits for the messages in flight,
   * settles them and gives all lanes back. Connectors stay open, except those of destinations with
   * {@link Destination.Builder#closesConnector}.
   */
  @Override
  public void close() {
    if (outbox != null) {
      outbox.unlisten(thread.lookout());
    }
    thread.stop();
    closeConnectors(destinations, connectorsClosed);
  }

  private static void closeConnectors(List<Destination> destinations, AtomicBoolean closed) {
    if (closed.getAndSet(true)) {
      return;
    }
    destinations.stream()
        .filter(Destination::closesConnector)
        .map(Destination::connector)
        .distinct()
        .forEach(Relay::close);
  }

  /** Logs a failure, so that the other connectors are closed all the same. */
  private static void close(Connector connector) {
    try {
      connector.close();
    } catch (RuntimeException e) {
      LOG.warn(
          "A connector failed when it was closed; the others are closed all the same",
          Sanitiser.clean(e));
    }
  }

  /** Collects the settings of a relay. */
  public static final class Builder {
    final RelayStore store;
    final String application;
    final String environment;
    final List<Destination> destinations = new ArrayList<>();
    String name = "relay-" + ProcessHandle.current().pid();
    RelayConfig config = RelayConfig.DEFAULT;
    Archive archive = Archive.NONE;
    Observer observer = Observer.NONE;
    PayloadCipher cipher = PayloadCipher.NONE;
    Tracing tracing = Tracing.NONE;
    Classifier classifier = Classifier.DEFAULT;
    Ticker ticker = Ticker.SYSTEM;
    RandomGenerator random = new java.util.Random();
    private @Nullable Outbox outbox;
    private final AtomicBoolean connectorsClosed = new AtomicBoolean();

    private Builder(RelayStore store, String application, String environment) {
      this.store = store;
      this.application = application;
      this.environment = environment;
    }

    /** Adds a destination that this relay serves. */
    public Builder destination(Destination destination) {
      destinations.add(destination);
      return this;
    }

    /**
     * Sets the name under which logs and the console show this relay. Default: "relay-" and the
     * process id.
     */
    public Builder name(String name) {
      this.name = name;
      return this;
    }

    /** Sets the lease, batch size and other limits. Default: {@link RelayConfig#DEFAULT}. */
    public Builder config(RelayConfig config) {
      this.config = config;
      return this;
    }

    /** Makes the relay check the log as soon as this outbox of the same program adds a message. */
    public Builder wokenBy(Outbox outbox) {
      this.outbox = outbox;
      return this;
    }

    /**
     * Receives every event of this relay. It runs on the threads that deliver, so it must return
     * quickly. Default: no observer.
     */
    public Builder observer(Observer observer) {
      this.observer = observer;
      return this;
    }

    /** Traces every attempt to send a message. Default: no tracing. */
    public Builder tracing(Tracing tracing) {
      this.tracing = tracing;
      return this;
    }

    /** Receives messages before retention removes them. Default: no archive. */
    public Builder archive(Archive archive) {
      this.archive = archive;
      return this;
    }

    /**
     * Decrypts payloads before they are sent; use the cipher of the outbox. Default: payloads are
     * sent as they are stored.
     */
    public Builder cipher(PayloadCipher cipher) {
      this.cipher = cipher;
      return this;
    }

    /** Decides what an exception of a connector means. Default: {@link Classifier#DEFAULT}. */
    public Builder classifier(Classifier classifier) {
      this.classifier = classifier;
      return this;
    }

    /** Sets the clock of timeouts and leases, for tests. */
    public Builder ticker(Ticker ticker) {
      this.ticker = ticker;
      return this;
    }

    /** Sets the source of random numbers, for tests. */
    public Builder random(RandomGenerator random) {
      this.random = random;
      return this;
    }

    /**
     * Closes the connectors that the relay would close, for when no relay is built after all. A
     * second call does nothing.
     */
    public void closeConnectors() {
      Relay.closeConnectors(destinations, connectorsClosed);
    }

    public Relay build() {
      Set<String> names = new HashSet<>();
      for (Destination destination : destinations) {
        if (!names.add(destination.name()) || destination.name().equals(RelayStore.UNROUTED)) {
          throw new PosthornException(
              ErrorCode.CONFIGURATION,
              "destination '%s' was not added: the relay already has a destination of this name, or the name is reserved. Choose another name."
                  .formatted(destination.name()));
        }
      }
      config.check(destinations);
      destinations.forEach(one -> one.connector().serving(one.name()));
      return new Relay(this);
    }

    Duration longestSend() {
      return destinations.stream()
          .map(Destination::sendTimeout)
          .max(Duration::compareTo)
          .orElse(Duration.ZERO);
    }
  }
}
