package io.posthorn.core.bus;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.SchemaVersions;
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
 * One consumer: its handlers, the source of its messages, and the treatment of failures. Everything
 * except the handlers has a default. Set it before the bus is started; the start checks it.
 */
public final class Subscription {
  final String consumer;
  final Map<Class<?>, EventHandler<?>> byClass = new LinkedHashMap<>();
  final Map<String, VersionHandler> byType = new LinkedHashMap<>();
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

  /**
   * Handles events of this class. The class must be registered for a type. Messages of earlier
   * versions are converted by upcasters; one that no upcasters lead to the version of the class, or
   * that is newer, waits for a program that can read it.
   */
  public <T> Subscription on(Class<T> event, EventHandler<? super T> handler) {
    if (byClass.put(event, handler) != null) {
      twice.add(event.getName());
    }
    return this;
  }

  /**
   * Handles messages of this type and of every version; the handler reads the payload itself. If
   * the type has upcasters, older messages are in the newest version that these lead to.
   */
  public Subscription on(String type, EventHandler<Message> handler) {
    return on(type, SchemaVersions.ANY, handler);
  }

  /**
   * Handles messages of this type in this version; the handler reads the payload itself. Messages
   * of other versions are treated as those of {@link #on(Class, EventHandler)}.
   */
  public Subscription on(String type, int schemaVersion, EventHandler<Message> handler) {
    if (byType.put(type, new VersionHandler(handler, schemaVersion)) != null) {
      twice.add(type);
    }
    return this;
  }

  /** Receives messages from this source; default: the source of the bus. */
  public Subscription from(Source source) {
    this.source = source;
    return this;
  }

  /** Gets messages from the log of this database; the default if the bus has no source. */
  public Subscription inProcess() {
    this.source = null;
    return this;
  }

  /** Where in the log a new in-process consumer begins; default: {@link Start#NOW}. */
  public Subscription startAt(Start start) {
    this.start = start;
    return this;
  }

  /**
   * What to do with a message from a source; default: {@link Mode#DIRECT}. Messages from the log of
   * this database are already stored.
   */
  public Subscription mode(Mode mode) {
    this.mode = mode;
    return this;
  }

  /**
   * The number of threads that receive messages from the source. As many threads handle the
   * messages that a relay hands over. Each uses one connection while it works; default: 1.
   */
  public Subscription threads(int count) {
    this.threads = count;
    return this;
  }

  /**
   * The most messages that are handled in one transaction, and the most in hand; default: 100. Set
   * 1 for a handler with effects outside the database, for example mail: it is called again if
   * another message of its transaction fails.
   */
  public Subscription batch(int messages) {
    this.batch = messages;
    return this;
  }

  /** How often a handler is called in quick succession before its message is parked; default: 3. */
  public Subscription tries(int count) {
    this.tries = count;
    return this;
  }

  /** How long a relay waits for a handler; default: 10 s. Set it to what the slowest one needs. */
  public Subscription timeout(Duration timeout) {
    this.timeout = timeout;
    return this;
  }

  /** When and how often a failed message is retried; default: {@link RetryPolicy#DEFAULT}. */
  public Subscription retry(RetryPolicy policy) {
    this.retry = policy;
    return this;
  }

  /** What happens to the later messages of a key after a dead letter; default: CONTINUE. */
  public Subscription afterDead(AfterDead afterDead) {
    this.afterDead = afterDead;
    return this;
  }

  /** Decides what exceptions of handlers mean; default: {@link Classifier#DEFAULT}. */
  public Subscription classifier(Classifier classifier) {
    this.classifier = classifier;
    return this;
  }

  /** Ignores messages of these types. */
  public Subscription ignoring(String... types) {
    ignored.addAll(List.of(types));
    return this;
  }

  /** What to do with types that have no handler; default: {@link UnknownTypes#PARK}. */
  public Subscription unknownTypes(UnknownTypes treatment) {
    this.unknown = treatment;
    return this;
  }

  /** How long a message of an unknown type waits for a program with a handler; default: 10 min. */
  public Subscription grace(Duration grace) {
    this.grace = grace;
    return this;
  }

  /** Skips a message if a newer one of its key was already handled. The skip is recorded. */
  public Subscription latestWins() {
    this.latestWins = true;
    return this;
  }

  /**
   * Declares that calling a handler twice with the same message does no harm, even at the same
   * time. No receipts are then kept of handled messages.
   */
  public Subscription idempotent() {
    this.idempotent = true;
    return this;
  }

  /** The isolation level of the handlers' transactions; default: the one of the connection. */
  public Subscription isolation(Isolation level) {
    this.isolation = level;
    return this;
  }
}
