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
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers what outboxes hold to the destinations it serves. Start as many as you like, in one
 * program or in many: they share out the destinations and stand by for each other.
 */
public final class Relay implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

  private final RelayThread thread;
  private final @Nullable Outbox outbox;
  private final List<Destination> destinations;

  private Relay(Builder builder) {
    this.thread = new RelayThread(builder);
    this.outbox = builder.outbox;
    this.destinations = List.copyOf(builder.destinations);
  }

  /**
   * A relay on this store.
   *
   * @param application whose destinations these are; several applications may share a database
   * @param environment where this runs, for example {@code production}. It is stored in the
   *     database, and a relay of another environment refuses to work there: a copy of production
   *     must not send.
   */
  public static Builder on(RelayStore store, String application, String environment) {
    return new Builder(store, application, environment);
  }

  /** Takes part until {@link #close}. Throws if the database is not fit for it. */
  public Relay start() {
    thread.start();
    if (outbox != null) {
      outbox.listen(thread.lookout());
    }
    return this;
  }

  /** Looks into the log at once. */
  public void wake() {
    thread.lookout().committed();
  }

  /** Looks at once for what is due among the parked messages of this destination. */
  public void wakeParked(String destination) {
    thread.lookout().parkedDue(destination);
  }

  /**
   * Stops gracefully: claims nothing more, waits for what is on its way, settles it and gives
   * everything back, so that another relay goes on without a duplicate. Connectors stay open, they
   * are yours; but for those of destinations that say {@link Destination.Builder#closesConnector}.
   */
  @Override
  public void close() {
    if (outbox != null) {
      outbox.unlisten(thread.lookout());
    }
    thread.stop();
    destinations.stream()
        .filter(Destination::closesConnector)
        .map(Destination::connector)
        .distinct()
        .forEach(Relay::close);
  }

  /** One that cannot be closed keeps nobody from closing the others. */
  private static void close(Connector connector) {
    try {
      connector.close();
    } catch (RuntimeException e) {
      LOG.warn("A connector could not be closed", Sanitiser.clean(e));
    }
  }

  /** Collects what a relay needs. */
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

    private Builder(RelayStore store, String application, String environment) {
      this.store = store;
      this.application = application;
      this.environment = environment;
    }

    /** Serves this destination. */
    public Builder destination(Destination destination) {
      destinations.add(destination);
      return this;
    }

    /** For people, in logs and in the console; default: the process id. */
    public Builder name(String name) {
      this.name = name;
      return this;
    }

    /** How it works; default: all that {@link RelayConfig} has by default. */
    public Builder config(RelayConfig config) {
      this.config = config;
      return this;
    }

    /** Looks at once when this outbox, in the same program, has got something. */
    public Builder wokenBy(Outbox outbox) {
      this.outbox = outbox;
      return this;
    }

    /** Hears of all that happens, on the threads that send: it must be quick; default: none. */
    public Builder observer(Observer observer) {
      this.observer = observer;
      return this;
    }

    /** Follows each attempt to send a message; default: none. */
    public Builder tracing(Tracing tracing) {
      this.tracing = tracing;
      return this;
    }

    /** What is removed goes there first; default: nowhere. */
    public Builder archive(Archive archive) {
      this.archive = archive;
      return this;
    }

    /** Decrypts payloads; the same as the outbox has. Default: they are sent as they are stored. */
    public Builder cipher(PayloadCipher cipher) {
      this.cipher = cipher;
      return this;
    }

    /** What an exception of a connector means; default: see {@link Classifier}. */
    public Builder classifier(Classifier classifier) {
      this.classifier = classifier;
      return this;
    }

    /** For tests. */
    public Builder ticker(Ticker ticker) {
      this.ticker = ticker;
      return this;
    }

    /** For tests. */
    public Builder random(RandomGenerator random) {
      this.random = random;
      return this;
    }

    public Relay build() {
      Set<String> names = new HashSet<>();
      for (Destination destination : destinations) {
        if (!names.add(destination.name()) || destination.name().equals(RelayStore.UNROUTED)) {
          throw new PosthornException(
              ErrorCode.CONFIGURATION,
              "destination '%s' was not added: the name is taken. Choose another name."
                  .formatted(destination.name()));
        }
      }
      config.check(destinations);
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
