package io.posthorn.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Delivery;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts what this program's relays do, as it happens. */
final class RelayMeters {
  private record TypeLabels(String destination, String type) {}

  private record FailureLabels(String meter, TypeLabels of, String reason) {}

  /** The meters of one type at one destination. */
  private record PerType(Counter sent, DistributionSummary attempts) {}

  private final MeterRegistry registry;
  private final Labels labels;
  private final Map<String, LaneMeters> lanes = new ConcurrentHashMap<>();
  private final Map<TypeLabels, PerType> types = new ConcurrentHashMap<>();
  private final Map<FailureLabels, Counter> failures = new ConcurrentHashMap<>();

  RelayMeters(MeterRegistry registry, Labels labels) {
    this.registry = registry;
    this.labels = labels;
  }

  void on(Event event) {
    if (event instanceof Event.Sent sent) {
      sent.deliveries().forEach(delivery -> sent(sent.destination(), delivery));
    } else if (event instanceof Event.CallFailed failed) {
      failure(
              "publish.failure",
              failed.destination(),
              type(failed.delivery()),
              failed.reason().code())
          .increment();
    } else if (event instanceof Event.Dead dead) {
      failure("dead", dead.destination(), type(dead.delivery()), dead.code()).increment();
    } else if (event instanceof Event.NoRoute gone) {
      failure("dead", event.destination(), gone.type(), Reason.NO_ROUTE).increment(gone.messages());
    } else if (event instanceof Event.Answered answered) {
      lane(event).answered(answered.sent(), answered.took(), answered.age());
    } else if (event instanceof Event.Handed handed) {
      lane(event).handed(handed.messages());
    } else if (event instanceof Event.Claimed claimed) {
      lane(event).claimed(claimed.messages(), claimed.parked());
    } else if (event instanceof Event.Parked parked) {
      lane(event).parked(parked.waiting());
    } else if (event instanceof Event.BreakerOpened) {
      lane(event).breakerOpened();
    } else if (event instanceof Event.BreakerClosed) {
      lane(event).breakerClosed();
    } else if (event instanceof Event.StoreRefused) {
      lane(event).storeRefused();
    } else if (event instanceof Event.LaneTaken) {
      lane(event).taken();
    } else if (event instanceof Event.LaneReleased) {
      lane(event).left(false);
    } else if (event instanceof Event.LaneLost) {
      lane(event).left(true);
    }
  }

  private LaneMeters lane(Event event) {
    String destination = labels.destination(event.destination());
    return lanes.computeIfAbsent(destination, name -> new LaneMeters(registry, name));
  }

  private void sent(String destination, Delivery delivery) {
    PerType meters = types.computeIfAbsent(of(destination, type(delivery)), this::perType);
    meters.sent.increment();
    meters.attempts.record(delivery.attempts() - delivery.attemptsBefore() + 1);
  }

  private static String type(Delivery delivery) {
    return delivery.message().type();
  }

  private TypeLabels of(String destination, String type) {
    return new TypeLabels(labels.destination(destination), labels.type(type));
  }

  private PerType perType(TypeLabels of) {
    return new PerType(
        Counter.builder("outbox.publish.success")
            .description("Messages that were sent and settled as such")
            .tags("destination", of.destination, "type", of.type)
            .register(registry),
        DistributionSummary.builder("outbox.attempts")
            .description("How many attempts it took to send a message")
            .tags("destination", of.destination, "type", of.type)
            .register(registry));
  }

  private Counter failure(String meter, String destination, String type, String reason) {
    FailureLabels failure = new FailureLabels(meter, of(destination, type), labels.reason(reason));
    return failures.computeIfAbsent(
        failure,
        w ->
            Counter.builder("outbox." + w.meter)
                .description(
                    w.meter.equals("dead")
                        ? "Messages that became dead letters"
                        : "Calls that did not succeed, including those that do not count as attempts")
                .tags("destination", w.of.destination, "type", w.of.type, "reason", w.reason)
                .register(registry));
  }
}
