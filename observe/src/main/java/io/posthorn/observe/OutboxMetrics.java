package io.posthorn.observe;

import io.micrometer.core.instrument.MeterRegistry;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.operate.figures.FiguresStore;
import io.posthorn.core.operate.retention.RetentionTimes;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of an outbox, for any Micrometer registry, and through it for Prometheus, OpenTelemetry
 * and others. Set it as the observer of this program's relays, and {@link #inbox} as the observer
 * of its bus:
 *
 * <pre>{@code
 * OutboxMetrics metrics = OutboxMetrics.on(registry).database(store).build();
 * Relay relay = Relay.on(store, "shop", "production").observer(metrics)...
 * Bus bus = ....observer(metrics.inbox())...
 * }</pre>
 *
 * <p>What this program does is counted as it happens. The contents of the whole database are
 * reported by one program only, the one whose relay keeps the house. It reads them in the
 * background: a scrape never queries the database.
 */
public final class OutboxMetrics implements Observer, AutoCloseable {
  private final RelayMeters relay;
  private final InboxMeters inbox;
  private final @Nullable Sampler sampler;

  private OutboxMetrics(Builder builder) {
    Labels labels = new Labels(builder.mostTypes);
    this.relay = new RelayMeters(builder.registry, labels);
    this.inbox = new InboxMeters(builder.registry, labels, relay::on);
    this.sampler =
        builder.store == null
            ? null
            : new Sampler(
                builder.store,
                builder.times,
                new DatabaseMeters(builder.registry, labels),
                builder.every);
  }

  public static Builder on(MeterRegistry registry) {
    return new Builder(registry);
  }

  @Override
  public void on(Event event) {
    relay.on(event);
    if (sampler == null) {
      return;
    }
    if (event instanceof Event.HouseTaken) {
      sampler.begin();
    } else if (event instanceof Event.HouseLeft) {
      sampler.end();
    }
  }

  /**
   * The observer for this program's {@code Bus}: counts what its subscriptions receive and handle.
   */
  public Observer inbox() {
    return inbox;
  }

  @Override
  public Observer ofConsumers() {
    return inbox;
  }

  /** Stops reporting the database's contents; close it after the relays. Counters stay. */
  @Override
  public void close() {
    if (sampler != null) {
      sampler.close();
    }
  }

  /** Collects the settings of the metrics. */
  public static final class Builder {
    private final MeterRegistry registry;
    private @Nullable FiguresStore store;
    private RetentionTimes times = RetentionTimes.DEFAULT;
    private Duration every = Duration.ofSeconds(15);
    private int mostTypes = 100;

    private Builder(MeterRegistry registry) {
      this.registry = registry;
    }

    /** Reports this database's contents while a relay of this program keeps the house. */
    public Builder database(FiguresStore figures) {
      this.store = figures;
      return this;
    }

    /** The retention times that the relays use; default: {@link RetentionTimes#DEFAULT}. */
    public Builder retention(RetentionTimes relayTimes) {
      this.times = relayTimes;
      return this;
    }

    /** How often the database is queried; default: 15 seconds. */
    public Builder every(Duration interval) {
      this.every = interval;
      return this;
    }

    /** How many types have series of their own; all others are {@code other}. Default: 100. */
    public Builder mostTypes(int limit) {
      this.mostTypes = limit;
      return this;
    }

    public OutboxMetrics build() {
      return new OutboxMetrics(this);
    }
  }
}
