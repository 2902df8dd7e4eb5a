package io.posthorn.spring.connector;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.SendLimit;

/** Makes a destination from its properties, which were checked before. */
final class DestinationMaker {
  private static final String ALL_TYPES = "*";

  private DestinationMaker() {}

  static Destination destination(
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
