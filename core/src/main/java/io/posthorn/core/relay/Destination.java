package io.posthorn.core.relay;

import io.posthorn.core.connector.Connector;
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

/** A logical receiver: what goes there, by which connector, and how failures are treated. */
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

  /** A destination of this name, served by this connector. The name is what the database knows. */
  public static Builder named(String name, Connector connector) {
    return new Builder(name, connector);
  }

  public String name() {
    return name;
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

  /** How old a message of this type may be when it is sent; none = as old as it likes. */
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

  /** How long a message waits for code that serves its type; none = for ever. */
  @Nullable Duration unservedGrace() {
    return unservedGrace;
  }

  /** Why this message is not to be sent; empty if it may be. */
  Optional<Reason> unfit(Message message) {
    return unfit.apply(message);
  }

  /** Collects the choices; every one but the routes has a default. */
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

    /** Routes these types here. */
    public Builder types(String... types) {
      this.types.addAll(List.of(types));
      return this;
    }

    /** Routes every type here, also those that nobody knows yet. */
    public Builder allTypes() {
      types.add(ServedDestination.ALL_TYPES);
      return this;
    }

    /** It is a consumer: its connector hands messages to handlers of this application. */
    public Builder receives() {
      this.direction = Direction.IN;
      return this;
    }

    /**
     * With which messages the destination begins when it is registered for the first time; default:
     * {@link Start#NOW}. What waits for a route at that moment comes in any case.
     */
    public Builder startAt(Start start) {
      this.start = start;
      return this;
    }

    /** How long an answer may take before the attempt counts as failed; default 10 s. */
    public Builder sendTimeout(Duration timeout) {
      this.sendTimeout = timeout;
      return this;
    }

    /** When what failed is tried again, and how often; default {@link RetryPolicy#DEFAULT}. */
    public Builder retry(RetryPolicy policy) {
      this.retry = policy;
      return this;
    }

    /** The same for one type; default: as for the destination. */
    public Builder retry(String type, RetryPolicy policy) {
      retryByType.put(type, policy);
      return this;
    }

    /** What happens to the rest of a key when one of its messages dies; default CONTINUE. */
    public Builder afterDead(AfterDead choice) {
      this.afterDead = choice;
      return this;
    }

    /** The same for one type; default: as for the destination. */
    public Builder afterDead(String type, AfterDead choice) {
      afterDeadByType.put(type, choice);
      return this;
    }

    /**
     * Looks at each message right before it is sent, with its payload decrypted. One that has a
     * reason is not sent but dead at once, as if the receiver had rejected it; default: none has.
     * It must be quick: the whole destination waits for it.
     */
    public Builder reject(Function<Message, Optional<Reason>> rule) {
      this.unfit = rule;
      return this;
    }

    /**
     * A message older than this is not sent any more but dead, with the reason EXPIRED; default:
     * none is too old. A scheduled message ages from its time on, a requeued one from then on.
     */
    public Builder notAfter(Duration age) {
      this.notAfter = age;
      return this;
    }

    /** The same for one type; default: as for the destination. */
    public Builder notAfter(String type, Duration age) {
      notAfterByType.put(type, age);
      return this;
    }

    /** How much may be on its way, and go in a second; default {@link SendLimit#DEFAULT}. */
    public Builder limit(SendLimit limit) {
      this.limit = limit;
      return this;
    }

    /** A limit for one type, within the destination's. */
    public Builder limit(String type, SendLimit limit) {
      limitByType.put(type, limit);
      return this;
    }

    /** The breaker opens after so many different keys failed in a row; default 20. */
    public Builder breakerAfter(int keys) {
      this.breakerAfter = keys;
      return this;
    }

    /**
     * The relay closes the connector when it has stopped; default: whoever made it does. Not for a
     * connector that others use too.
     */
    public Builder closesConnector() {
      this.closesConnector = true;
      return this;
    }

    /**
     * How long a message that no code here serves may wait for a program that has it, before it is
     * dead with the reason UNKNOWN_TYPE; default: for ever.
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
