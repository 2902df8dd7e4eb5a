package io.posthorn.crashtests;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How a relay process is configured: what its command line says, as system properties.
 *
 * @param deliveries the file all receivers append to
 */
record RelaySetup(
    String name,
    String url,
    Path deliveries,
    Duration lease,
    Duration sendTimeout,
    Duration settleTimeout,
    int batchSize,
    Duration noRouteGrace,
    List<Receiver> receivers) {
  private static final String PREFIX = "relay.";

  /**
   * A destination.
   *
   * @param types that are routed to it
   * @param code for these types there is code; less than {@code types} in an old version
   * @param millis how long a send takes, at most
   * @param reachable whether it answers at all
   */
  record Receiver(
      String destination, Set<String> types, Set<String> code, int millis, boolean reachable) {
    private String text() {
      return String.join(
          ";",
          destination,
          String.join(",", types),
          String.join(",", code),
          Integer.toString(millis),
          Boolean.toString(reachable));
    }

    private static Receiver parse(String text) {
      String[] parts = text.split(";");
      return new Receiver(
          parts[0],
          Set.of(parts[1].split(",")),
          Set.of(parts[2].split(",")),
          Integer.parseInt(parts[3]),
          Boolean.parseBoolean(parts[4]));
    }
  }

  /** Short times, so that a test need not wait long for a lease to end. */
  static RelaySetup of(String name, String url, Path deliveries, Receiver... receivers) {
    return new RelaySetup(
        name,
        url,
        deliveries,
        Duration.ofSeconds(2),
        Duration.ofMillis(300),
        Duration.ofMillis(300),
        20,
        Duration.ofMinutes(10),
        List.of(receivers));
  }

  RelaySetup with(Duration newLease, Duration newSendTimeout, Duration newSettleTimeout) {
    return new RelaySetup(
        name,
        url,
        deliveries,
        newLease,
        newSendTimeout,
        newSettleTimeout,
        batchSize,
        noRouteGrace,
        receivers);
  }

  RelaySetup named(String newName) {
    return new RelaySetup(
        newName,
        url,
        deliveries,
        lease,
        sendTimeout,
        settleTimeout,
        batchSize,
        noRouteGrace,
        receivers);
  }

  RelaySetup url(String newUrl) {
    return new RelaySetup(
        name,
        newUrl,
        deliveries,
        lease,
        sendTimeout,
        settleTimeout,
        batchSize,
        noRouteGrace,
        receivers);
  }

  RelaySetup receivers(Receiver... newReceivers) {
    return new RelaySetup(
        name,
        url,
        deliveries,
        lease,
        sendTimeout,
        settleTimeout,
        batchSize,
        noRouteGrace,
        List.of(newReceivers));
  }

  Map<String, String> properties() {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(PREFIX + "name", name);
    properties.put(PREFIX + "url", url);
    properties.put(PREFIX + "deliveries", deliveries.toString());
    properties.put(PREFIX + "lease", lease.toString());
    properties.put(PREFIX + "sendTimeout", sendTimeout.toString());
    properties.put(PREFIX + "settleTimeout", settleTimeout.toString());
    properties.put(PREFIX + "batchSize", Integer.toString(batchSize));
    properties.put(PREFIX + "noRouteGrace", noRouteGrace.toString());
    properties.put(
        PREFIX + "receivers", String.join("|", receivers.stream().map(Receiver::text).toList()));
    return properties;
  }

  static RelaySetup fromProperties() {
    List<Receiver> receivers = new ArrayList<>();
    for (String text : property("receivers").split("\\|")) {
      receivers.add(Receiver.parse(text));
    }
    return new RelaySetup(
        property("name"),
        property("url"),
        Path.of(property("deliveries")),
        Duration.parse(property("lease")),
        Duration.parse(property("sendTimeout")),
        Duration.parse(property("settleTimeout")),
        Integer.parseInt(property("batchSize")),
        Duration.parse(property("noRouteGrace")),
        receivers);
  }

  private static String property(String name) {
    String value = System.getProperty(PREFIX + name);
    if (value == null) {
      throw new IllegalArgumentException("missing: -D" + PREFIX + name);
    }
    return value;
  }
}
