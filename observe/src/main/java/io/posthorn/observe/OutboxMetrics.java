package io.posthorn.observe;

import io.micrometer.core.instrument.MeterRegistry;
import io.posthorn.core.operate.figures.FiguresStore;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.operate.retention.RetentionTimes;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of an outbox, for any registry of Micrometer, and through it for Prometheus,
 * OpenTelemetry and others. Give it to the relays of this program as their observer, and {@link
 * #inbox} to its bus:
 *
 * <pre>{@code
 * OutboxMetrics metrics = OutboxMetrics.on(registry).database(store).build();
 * Relay relay = Relay.on(store, "shop", "production").observer(metrics)...
 * Bus bus = ....observer(metrics.inbox())...
 * }</pre>
 *
 * <p>What this program does is counted as it happens. What the whole database holds is told by one
 * program only, the one whose relay keeps the house, and is read in the background: no scrape ever
 * asks the database anything.
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

  /** For the {@code Bus} of this program: what its subscriptions receive and handle. */
  public Observer inbox() {
    return inbox;
  }

  /** After the relays: nothing of the database is told any more. Counters stay. */
  @Override
  public void close() {
    if (sampler != null) {
      sampler.close();
    }
  }

  /** Collects what the metrics need. */
  public static final class Builder {
    private final MeterRegistry registry;
    private @Nullable FiguresStore store;
    private RetentionTimes times = RetentionTimes.DEFAULT;
    private Duration every = Duration.ofSeconds(15);
    private int mostTypes = 100;

    private Builder(MeterRegistry registry) {
      this.registry = registry;
    }

    /** Tells what this database holds, while a relay of this program keeps the house. */
    public Builder database(FiguresStore yours) {
      this.store = yours;
      return this;
    }

    /** What the relays were configured with; default: {@link RetentionTimes#DEFAULT}. */
    public Builder retention(RetentionTimes yours) {
      this.times = yours;
      return this;
    }

    /** How often the database is asked; default: 15 seconds. */
    public Builder every(Duration yours) {
      this.every = yours;
      return this;
    }

    /** So many types have metrics of their own, all others are {@code other}; default: 100. */
    public Builder mostTypes(int yours) {
      this.mostTypes = yours;
      return this;
    }

    public OutboxMetrics build() {
      return new OutboxMetrics(this);
    }
  }
}
