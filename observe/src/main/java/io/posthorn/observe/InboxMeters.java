package io.posthorn.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts what this program's subscriptions do, as it happens. */
final class InboxMeters implements Observer {
  private static final Duration[] LAG = {
    Duration.ofMillis(10), Duration.ofMillis(50), Duration.ofMillis(100), Duration.ofMillis(500),
    Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofMinutes(1),
    Duration.ofMinutes(5), Duration.ofHours(1), Duration.ofDays(1)
  };

  private record Counted(String name, Tags tags) {}

  private final MeterRegistry registry;
  private final Labels labels;
  private final Observer deaths;
  private final Map<Counted, Counter> counters = new ConcurrentHashMap<>();
  private final Map<String, Timer> lags = new ConcurrentHashMap<>();

  /**
   * Creates the meters.
   *
   * @param deaths is notified of dead letters, which are counted together with those of relays
   */
  InboxMeters(MeterRegistry registry, Labels labels, Observer deaths) {
    this.registry = registry;
    this.labels = labels;
    this.deaths = deaths;
  }

  @Override
  public void on(Event event) {
    if (event instanceof Event.Handled handled) {
      count(event, handled.messages(), "inbox.handled", "Messages that were handled and committed");
      handled.messages().forEach(message -> lag(event, message));
    } else if (event instanceof Event.Repeated repeated) {
      count(
          event,
          repeated.messages(),
          "inbox.duplicates",
          "Messages that were recognised as repeats and dropped");
    } else if (event instanceof Event.Stale stale) {
      count(
          event,
          stale.messages(),
          "inbox.stale",
          "Messages skipped because newer ones had been handled");
    } else if (event instanceof Event.Stored stored) {
      count(event, stored.messages(), "inbox.stored", "Messages stored to be handled later");
    } else if (event instanceof Event.UnknownType unknown) {
      count(
          event,
          List.of(unknown.message()),
          "inbox.unknown.type",
          "Messages of types that no handler handles");
    } else if (event instanceof Event.HandlerFailed failed) {
      Tags why = Tags.of("reason", labels.reason(failed.reason().code()));
      counter("inbox.failed", "Failed calls of handlers", tags(event, failed.message()).and(why))
          .increment();
    } else if (event instanceof Event.SubscriptionFailed failed) {
      Tags why = Tags.of("reason", labels.reason(failed.reason().code()));
      counter(
              "inbox.subscription.failed",
              "Failures of subscription threads, which then restart",
              tags(event).and(why))
          .increment();
    } else if (event instanceof Event.Dead) {
      deaths.on(event);
    }
  }

  private void count(Event event, List<Message> messages, String name, String what) {
    messages.forEach(message -> counter(name, what, tags(event, message)).increment());
  }

  private Counter counter(String name, String what, Tags tags) {
    return counters.computeIfAbsent(
        new Counted(name, tags),
        counted -> Counter.builder(name).description(what).tags(tags).register(registry));
  }

  private Tags tags(Event event) {
    return Tags.of("consumer", labels.destination(event.destination()));
  }

  private Tags tags(Event event, Message message) {
    return tags(event).and("type", labels.type(message.type()));
  }

  /**
   * Records the lag between two machines' clocks; it counts as 0 if the sender's clock is ahead.
   */
  private void lag(Event event, Message message) {
    Duration lag = Duration.between(message.occurredAt(), Instant.now());
    lags.computeIfAbsent(
            labels.destination(event.destination()),
            consumer ->
                Timer.builder("inbox.lag")
                    .description("Time from occurring to handled, measured by two clocks")
                    .tag("consumer", consumer)
                    .serviceLevelObjectives(LAG)
                    .register(registry))
        .record(lag.isNegative() ? Duration.ZERO : lag);
  }
}
