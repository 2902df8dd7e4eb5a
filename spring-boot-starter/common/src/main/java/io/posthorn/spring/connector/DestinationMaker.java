package io.posthorn.spring.connector;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.SendLimit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** Makes a destination from its properties, which were checked before. */
final class DestinationMaker {
  private static final String ALL_TYPES = "*";

  private DestinationMaker() {}

  /** Makes all; if one cannot be made, closes the connectors of those before it. */
  static List<Destination> all(Collection<Supplier<Destination>> makers) {
    List<Destination> made = new ArrayList<>();
    try {
      makers.forEach(maker -> made.add(maker.get()));
      return List.copyOf(made);
    } catch (RuntimeException | Error e) {
      made.forEach(one -> close(one::close, e));
      throw e;
    }
  }

  static Destination destination(
      String name, DestinationProperties properties, Supplier<Connector> maker) {
    Connector connector = maker.get();
    try {
      return destination(name, properties, connector);
    } catch (RuntimeException | Error e) {
      close(connector::close, e);
      throw e;
    }
  }

  private static void close(Runnable closing, Throwable because) {
    try {
      closing.run();
    } catch (RuntimeException | Error e) {
      because.addSuppressed(e);
    }
  }

  private static Destination destination(
      String name, DestinationProperties properties, Connector connector) {
    Destination.Builder destination =
        Destination.named(name, connector)
            .closesConnector()
            .startAt(properties.startAt().start())
            .sendTimeout(properties.sendTimeout())
            .retry(properties.retry().policy())
            .limit(properties.limit())
            .afterDead(properties.afterDead())
            .breakerAfter(properties.breakerAfter());
    if (properties.types().contains(ALL_TYPES)) {
      destination.allTypes();
    } else {
      destination.types(properties.types().toArray(String[]::new));
    }
    if (properties.notAfter() != null) {
      destination.notAfter(properties.notAfter());
    }
    if (properties.unservedGrace() != null) {
      destination.unservedGrace(properties.unservedGrace());
    }
    properties.byType().forEach((type, one) -> set(type, one, properties, destination));
    return destination.build();
  }

  private static void set(
      String type,
      DestinationProperties.ByType one,
      DestinationProperties properties,
      Destination.Builder destination) {
    if (one.retry() != null) {
      destination.retry(type, one.retry().of(properties.retry().policy()));
    }
    if (one.afterDead() != null) {
      destination.afterDead(type, one.afterDead());
    }
    if (one.notAfter() != null) {
      destination.notAfter(type, one.notAfter());
    }
    Integer inFlight = one.maxInFlight();
    Double perSecond = one.perSecond();
    if (inFlight != null || perSecond != null) {
      destination.limit(
          type,
          new SendLimit(
              inFlight == null ? properties.maxInFlight() : inFlight,
              perSecond == null ? 0 : perSecond));
    }
  }
}
