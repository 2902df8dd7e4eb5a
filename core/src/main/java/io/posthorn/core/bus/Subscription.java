package io.posthorn.core.bus;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.message.Message;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.source.Source;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Start;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One consumer: its handlers, where its messages come from, and how failures are treated. Every
 * choice but the handlers has a default; all are made before the bus is started, which checks them.
 */
public final class Subscription {
  final String consumer;
  final Map<Class<?>, EventHandler<?>> byClass = new LinkedHashMap<>();
  final Map<String, EventHandler<Message>> byType = new LinkedHashMap<>();
  final Set<String> ignored = new HashSet<>();
  final Set<String> twice = new HashSet<>();
  @Nullable Source source;
  Start start = Start.NOW;
  Mode mode = Mode.DIRECT;
  int threads = 1;
  int batch = 100;
  int tries = 3;
  Duration timeout = Duration.ofSeconds(10);
  RetryPolicy retry = RetryPolicy.DEFAULT;
  AfterDead afterDead = AfterDead.CONTINUE;
  Classifier classifier = Classifier.DEFAULT;
  UnknownTypes unknown = UnknownTypes.PARK;
  Duration grace = Duration.ofMinutes(10);
  boolean latestWins;
  boolean idempotent;
  @Nullable Isolation isolation;

  Subscription(String consumer, @Nullable Source source) {
    this.consumer = consumer;
    this.source = source;
  }

  /** Handles events of this class, which is registered for a type. */
  public <T> Subscription on(Class<T> event, EventHandler<? super T> handler) {
    if (byClass.put(event, handler) != null) {
      twice.add(event.getName());
    }
    return this;
  }

  /** Handles messages of this type as they are. */
  public Subscription on(String type, EventHandler<Message> handler) {
    if (byType.put(type, handler) != null) {
      twice.add(type);
    }
    return this;
  }

  /** Messages come from there; default: from the bus's source. */
  public Subscription from(Source yours) {
    this.source = yours;
    return this;
  }

  /** Messages come from the log of this database; the default if the bus has no source. */
  public Subscription inProcess() {
    this.source = null;
    return this;
  }

  /** With which messages of the log an in-process consumer begins; default: {@link Start#NOW}. */
  public Subscription startAt(Start choice) {
    this.start = choice;
    return this;
  }

  /** Default: {@link Mode#DIRECT}. In process, messages are stored in any case. */
  public Subscription mode(Mode choice) {
    this.mode = choice;
    return this;
  }

  /**
   * So many threads take messages from the source, and as many handle what a relay hands over; each
   * uses a connection while it works. Default 1.
   */
  public Subscription threads(int count) {
    this.threads = count;
    return this;
  }

  /**
   * Most messages that are handled in one transaction, and most that are in hand; default 100. A
   * handler with effects outside the database (a mail) wants 1: when another message of the batch
   * fails, it is called again.
   */
  public Subscription batch(int most) {
    this.batch = most;
    return this;
  }

  /** How often a handler is called in quick succession before the message is parked; default 3. */
  public Subscription tries(int inPlace) {
    this.tries = inPlace;
    return this;
  }

  /** How long a relay waits for the handler; set it to what the slowest needs. Default 10 s. */
  public Subscription timeout(Duration most) {
    this.timeout = most;
    return this;
  }

  /** When what failed is tried again, and how often; default {@link RetryPolicy#DEFAULT}. */
  public Subscription retry(RetryPolicy policy) {
    this.retry = policy;
    return this;
  }

  /** What happens to the rest of a key when one of its messages dies; default CONTINUE. */
  public Subscription afterDead(AfterDead choice) {
    this.afterDead = choice;
    return this;
  }

  /** What an exception of the handler means; default: see {@link Classifier}. */
  public Subscription classifier(Classifier yours) {
    this.classifier = yours;
    return this;
  }

  /** Messages of these types are no business of this consumer. */
  public Subscription ignoring(String... types) {
    ignored.addAll(List.of(types));
    return this;
  }

  /** Default: {@link UnknownTypes#PARK}. */
  public Subscription unknownTypes(UnknownTypes choice) {
    this.unknown = choice;
    return this;
  }

  /** How long a message of an unknown type waits for a program that knows it; default 10 min. */
  public Subscription grace(Duration most) {
    this.grace = most;
    return this;
  }

  /** A message older than what was handled of its key is noted and not handled. */
  public Subscription latestWins() {
    this.latestWins = true;
    return this;
  }

  /**
   * The handlers do no harm if they are called twice with a message, even at the same time: no
   * receipts are kept of what they handled.
   */
  public Subscription idempotent() {
    this.idempotent = true;
    return this;
  }

  /** Default: that of the connection. */
  public Subscription isolation(Isolation level) {
    this.isolation = level;
    return this;
  }
}
