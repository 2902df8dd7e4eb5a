package io.posthorn.core.relay;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Direction;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Start;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A logical receiver: which messages it gets, by which connector, and how failures are handled. */
public final class Destination {
  private final String name;
  private final Connector connector;
  private final Set<String> types;
  private final Start start;
  private final Direction direction;
  private final Duration sendTimeout;
  private final RetryPolicy retry;
  private final Map<String, RetryPolicy> retryByType;
  private final AfterDead afterDead;
  private final Map<String, AfterDead> afterDeadByType;
  private final @Nullable Duration notAfter;
  private final Map<String, Duration> notAfterByType;
  private final SendLimit limit;
  private final Map<String, SendLimit> limitByType;
  private final int breakerAfter;
  private final boolean closesConnector;
  private final @Nullable Duration unservedGrace;
  private final Function<Message, Optional<Reason>> unfit;

  private Destination(Builder builder) {
    this.name = builder.name;
    this.connector = builder.connector;
    this.types = Set.copyOf(builder.types);
    this.start = builder.start;
    this.direction = builder.direction;
    this.sendTimeout = builder.sendTimeout;
    this.retry = builder.retry;
    this.retryByType = Map.copyOf(builder.retryByType);
    this.afterDead = builder.afterDead;
    this.afterDeadByType = Map.copyOf(builder.afterDeadByType);
    this.notAfter = builder.notAfter;
    this.notAfterByType = Map.copyOf(builder.notAfterByType);
    this.limit = builder.limit;
    this.limitByType = Map.copyOf(builder.limitByType);
    this.breakerAfter = builder.breakerAfter;
    this.closesConnector = builder.closesConnector;
    this.unservedGrace = builder.unservedGrace;
    this.unfit = builder.unfit;
  }

  /** Begins a destination with this connector. The database knows the destination by this name. */
  public static Builder named(String name, Connector connector) {
    return new Builder(name, connector);
  }

  public String name() {
    return name;
  }

  /** The types that are routed here; {@code *} means all. */
  public Set<String> types() {
    return types;
  }

  /** Checks the connector, see {@link Connector#check}. */
  public List<Finding> check() {
    return List.copyOf(connector.check());
  }

  /** Closes the connector; for checks outside a relay. */
  public void close() {
    connector.close();
  }

  Connector connector() {
    return connector;
  }

  ServedDestination served() {
    return new ServedDestination(name, types, start, direction);
  }

  Direction direction() {
    return direction;
  }

  public Duration sendTimeout() {
    return sendTimeout;
  }

  RetryPolicy retry(String type) {
    return retryByType.getOrDefault(type, retry);
  }

  AfterDead afterDead(String type) {
    return afterDeadByType.getOrDefault(type, afterDead);
  }

  /** How old a message of this type may be when it is sent; null if any age is allowed. */
  @Nullable Duration notAfter(String type) {
    Duration own = notAfterByType.get(type);
    return own == null ? notAfter : own;
  }

  SendLimit limit() {
    return limit;
  }

  @Nullable SendLimit limit(String type) {
    return limitByType.get(type);
  }

  boolean closesConnector() {
    return closesConnector;
  }

  int breakerAfter() {
    return breakerAfter;
  }

  /** How long a message waits for code that serves its type; null if it waits for ever. */
  @Nullable Duration unservedGrace() {
    return unservedGrace;
  }

  /** Why the destination rejects this message; empty if it can be sent. */
  Optional<Reason> unfit(Message message) {
    return unfit.apply(message);
  }

  /** Collects the settings of a destination. Only the routes have no default. */
  public static final class Builder {
    private final String name;
    private final Connector connector;
    private final Set<String> types = new LinkedHashSet<>();
    private Start start = Start.NOW;
    private Direction direction = Direction.OUT;
    private Duration sendTimeout = Duration.ofSeconds(10);
    private RetryPolicy retry = RetryPolicy.DEFAULT;
    private final Map<String, RetryPolicy> retryByType = new HashMap<>();
    private AfterDead afterDead = AfterDead.CONTINUE;
    private final Map<String, AfterDead> afterDeadByType = new HashMap<>();
    private @Nullable Duration notAfter;
    private final Map<String, Duration> notAfterByType = new HashMap<>();
    private SendLimit limit = SendLimit.DEFAULT;
    private final Map<String, SendLimit> limitByType = new HashMap<>();
    private int breakerAfter = 20;
    private boolean closesConnector;
    private @Nullable Duration unservedGrace;
    private Function<Message, Optional<Reason>> unfit = message -> Optional.empty();

    private Builder(String name, Connector connector) {
      this.name = name;
      this.connector = connector;
    }

    /** Routes these types to this destination. */
    public Builder types(String... types) {
      this.types.addAll(List.of(types));
      return this;
    }

    /** Routes every type to this destination, including types that are added later. */
    public Builder allTypes() {
      types.add(ServedDestination.ALL_TYPES);
      return this;
    }

    /** Makes it a consumer: its connector hands messages to handlers of this application. */
    public Builder receives() {
      this.direction = Direction.IN;
      return this;
    }

    /**
     * Sets the first message of a destination that is registered for the first time. Default:
     * {@link Start#NOW}. Messages that wait for a route at that moment are delivered in any case.
     */
    public Builder startAt(Start start) {
      this.start = start;
      return this;
    }

    /** Sets the time after which an attempt without an answer has failed. Default: 10 s. */
    public Builder sendTimeout(Duration timeout) {
      this.sendTimeout = timeout;
      return this;
    }

    /** Sets how failed messages are retried. Default: {@link RetryPolicy#DEFAULT}. */
    public Builder retry(RetryPolicy policy) {
      this.retry = policy;
      return this;
    }

    /** Sets how failed messages of one type are retried. Default: as for the destination. */
    public Builder retry(String type, RetryPolicy policy) {
      retryByType.put(type, policy);
      return this;
    }

    /** Sets what happens to the rest of a key after a dead message. Default: CONTINUE. */
    public Builder afterDead(AfterDead choice) {
      this.afterDead = choice;
      return this;
    }

    /** Sets the same for dead messages of one type. Default: as for the destination. */
    public Builder afterDead(String type, AfterDead choice) {
      afterDeadByType.put(type, choice);
      return this;
    }

    /**
     * Rejects messages before they are sent. The rule gets each message with its payload decrypted.
     * If it returns a reason, the message is dead at once, as if the receiver had rejected it. The
     * rule must return quickly, since the whole destination waits for it. Default: no message is
     * rejected.
     */
    public Builder reject(Function<Message, Optional<Reason>> rule) {
      this.unfit = rule;
      return this;
    }

    /**
     * Sets the age after which a message is not sent but dead, with the reason EXPIRED. The age of
     * a scheduled message counts from its time, that of a requeued one from the requeue. Default:
     * no limit.
     */
    public Builder notAfter(Duration age) {
      this.notAfter = age;
      return this;
    }

    /** Sets the same for messages of one type. Default: as for the destination. */
    public Builder notAfter(String type, Duration age) {
      notAfterByType.put(type, age);
      return this;
    }

    /**
     * Limits the messages in flight and the messages per second. Default: {@link
     * SendLimit#DEFAULT}.
     */
    public Builder limit(SendLimit limit) {
      this.limit = limit;
      return this;
    }

    /** Limits one type further, within the limit of the destination. */
    public Builder limit(String type, SendLimit limit) {
      limitByType.put(type, limit);
      return this;
    }

    /** Opens the breaker after this number of different keys failed in a row. Default: 20. */
    public Builder breakerAfter(int keys) {
      this.breakerAfter = keys;
      return this;
    }

    /**
     * Makes the relay close the connector when it has stopped. Do not use this for a connector that
     * is shared. Default: the application closes the connector.
     */
    public Builder closesConnector() {
      this.closesConnector = true;
      return this;
    }

    /**
     * Sets how long a message waits for a relay that has code for its type. Then it is dead, with
     * the reason UNKNOWN_TYPE. Default: it waits for ever.
     */
    public Builder unservedGrace(Duration grace) {
      this.unservedGrace = grace;
      return this;
    }

    public Destination build() {
      return new Destination(this);
    }
  }
}
