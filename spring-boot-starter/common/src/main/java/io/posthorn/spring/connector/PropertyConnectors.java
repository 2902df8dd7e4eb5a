package io.posthorn.spring.connector;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.source.Source;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** The destinations and sources that are defined by properties. */
public final class PropertyConnectors {
  private final Map<String, Supplier<Destination>> destinations = new LinkedHashMap<>();
  private final Map<String, Source> sources = new LinkedHashMap<>();
  private final Set<String> sourceNames = new LinkedHashSet<>();
  private final Surroundings around;
  private final boolean used;
  private final List<String> problems;

  private PropertyConnectors(Surroundings around, boolean used, List<String> problems) {
    this.around = around;
    this.used = used;
    this.problems = problems;
  }

  /**
   * Makes them, but opens no connection yet.
   *
   * @param used whether this program delivers. If not, nothing is made, so that no secret and no
   *     address is needed: only what can be checked without them is
   * @param problems receives everything that is wrong, with the property's name
   */
  public static PropertyConnectors of(
      Map<String, DestinationProperties> destinations,
      Map<String, SourceProperties> sources,
      Surroundings around,
      boolean used,
      List<String> problems) {
    PropertyConnectors connectors = new PropertyConnectors(around, used, problems);
    destinations.forEach(connectors::addDestination);
    sources.forEach(connectors::addSource);
    return connectors;
  }

  /** The names of the destinations that can be made. */
  public Set<String> destinationNames() {
    return destinations.keySet();
  }

  /**
   * Makes new destinations on each call; the relay closes their connectors. If one cannot be made,
   * the connectors of the others are closed.
   */
  public List<Destination> destinations() {
    return DestinationMaker.all(destinations.values());
  }

  /** The sources; none if this program does not deliver. */
  public Map<String, Source> sources() {
    return sources;
  }

  /** The names of all sources, whether they are made or not. */
  public Set<String> sourceNames() {
    return sourceNames;
  }

  private void addDestination(String name, DestinationProperties properties) {
    String at = "posthorn.destinations." + name;
    if (properties.types().isEmpty()) {
      problems.add(at + ".types is missing: name the types that are routed here, or * for all");
    }
    Supplier<Connector> connector = connector(at, properties);
    if (connector != null) {
      destinations.put(name, () -> DestinationMaker.destination(name, properties, connector));
    }
  }

  private @Nullable Supplier<Connector> connector(String at, DestinationProperties properties) {
    DestinationProperties.Kafka kafka = properties.kafka();
    DestinationProperties.Rabbitmq rabbit = properties.rabbitmq();
    DestinationProperties.Webhook webhook = properties.webhook();
    if (!exactlyOne(at, "kafka, rabbitmq and webhook", kafka, rabbit, webhook)) {
      return null;
    }
    if (!used) {
      return PropertyConnectors::notUsed;
    }
    if (lacksValues(at, properties)) {
      return null;
    }
    if (kafka != null) {
      checkTimeout(at, "kafka", kafka.timeout(), properties);
      return make(
          at + ".kafka",
          KafkaMaker.NEEDS,
          () -> KafkaMaker.connector(kafka, Envelopes.format(properties, around), around));
    }
    if (rabbit != null) {
      checkTimeout(at, "rabbitmq", rabbit.timeout(), properties);
      return make(
          at + ".rabbitmq",
          RabbitMqMaker.NEEDS,
          () -> RabbitMqMaker.connector(rabbit, Envelopes.format(properties, around), around));
    }
    if (webhook != null) {
      checkTimeout(at, "webhook", webhook.timeout(), properties);
      return make(
          at + ".webhook",
          WebhookMaker.NEEDS,
          () -> WebhookMaker.connector(webhook, Envelopes.format(properties, around), around));
    }
    return null;
  }

  private static Connector notUsed() {
    throw new IllegalStateException("no connector is made: posthorn.relay.enabled is false");
  }

  private void checkTimeout(
      String at, String kind, Duration timeout, DestinationProperties properties) {
    if (timeout.compareTo(properties.sendTimeout()) >= 0) {
      problems.add(
          "%s.%s.timeout is %s: it must be shorter than %s.send-timeout, which is %s"
              .formatted(at, kind, timeout, at, properties.sendTimeout()));
    }
  }

  private void addSource(String name, SourceProperties properties) {
    String at = "posthorn.sources." + name;
    SourceProperties.Kafka kafka = properties.kafka();
    SourceProperties.Rabbitmq rabbit = properties.rabbitmq();
    if (!exactlyOne(at, "kafka and rabbitmq", kafka, rabbit)) {
      return;
    }
    sourceNames.add(name);
    if (!used || lacksValues(at, properties)) {
      return;
    }
    Source source = null;
    if (kafka != null) {
      source =
          make(
              at + ".kafka",
              KafkaMaker.NEEDS,
              () -> KafkaMaker.source(kafka, Envelopes.reader(properties), around));
    } else if (rabbit != null) {
      source =
          make(
              at + ".rabbitmq",
              RabbitMqMaker.NEEDS,
              () -> RabbitMqMaker.source(rabbit, Envelopes.reader(properties), around));
    }
    if (source != null) {
      sources.put(name, source);
    }
  }

  private boolean exactlyOne(String at, String kinds, @Nullable Object... given) {
    int count = 0;
    for (Object one : given) {
      count += one == null ? 0 : 1;
    }
    if (count != 1) {
      problems.add("%s has %d of %s: set exactly one".formatted(at, count, kinds));
    }
    return count == 1;
  }

  /** Reports placeholders that are left; without their values, other checks would mislead. */
  private boolean lacksValues(String at, Record properties) {
    List<String> missing = used ? Placeholders.problems(at, properties) : List.of();
    problems.addAll(missing);
    return !missing.isEmpty();
  }

  /** Returns null, and reports the problem, if the object cannot be made. */
  private <T> @Nullable T make(String at, String needs, Supplier<T> maker) {
    if (!ClassUtils.isPresent(needs, PropertyConnectors.class.getClassLoader())) {
      problems.add(
          "%s needs a connector that is not on the class path: add the dependency io.posthorn:posthorn-connector-%s"
              .formatted(at, at.substring(at.lastIndexOf('.') + 1)));
      return null;
    }
    try {
      return maker.get();
    } catch (RuntimeException e) {
      String kind = at.substring(at.lastIndexOf('.') + 1);
      problems.add(at + ": " + OptionNames.asProperties(kind, String.valueOf(e.getMessage())));
      return null;
    }
  }
}
