package io.posthorn.testservers;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Collects the settings of an {@link EmbeddedKafka}. Created by {@link EmbeddedKafka#builder}. */
public final class EmbeddedKafkaBuilder {
  static final String DIRECT = "DIRECT";
  static final String PROXIED = "PROXIED";
  private static final String CONTROLLER = "CONTROLLER";

  private final Map<String, String> settings = new LinkedHashMap<>();
  private final Map<String, String> protocols = new LinkedHashMap<>();
  private final Map<String, Integer> ports = new LinkedHashMap<>();

  EmbeddedKafkaBuilder() {
    listener(DIRECT, "PLAINTEXT");
    listener(PROXIED, "PLAINTEXT");
    listener(CONTROLLER, "PLAINTEXT");
    setting("process.roles", "broker,controller");
    setting("node.id", "1");
    setting("controller.listener.names", CONTROLLER);
    setting("inter.broker.listener.name", DIRECT);
    setting("auto.create.topics.enable", "false");
    for (String internal : new String[] {"offsets.topic", "transaction.state.log"}) {
      setting(internal + ".replication.factor", "1");
      setting(internal + ".num.partitions", "1");
    }
    setting("transaction.state.log.min.isr", "1");
    setting("group.initial.rebalance.delay.ms", "0");
    // Lets consumers choose short session timeouts.
    setting("group.min.session.timeout.ms", "1000");
    // A killed broker can register again only after its last session has expired.
    setting("broker.session.timeout.ms", "1500");
    setting("broker.heartbeat.interval.ms", "250");
    setting("log.segment.bytes", "16777216");
    setting("log.cleaner.dedupe.buffer.size", "2097152");
    setting("log.index.size.max.bytes", "1048576");
  }

  /** One line of {@code server.properties}, for example {@code message.max.bytes}. */
  public EmbeddedKafkaBuilder setting(String name, String value) {
    settings.put(name, value);
    return this;
  }

  /** Adds a port, for example {@code SECURE} with {@code SASL_SSL}. */
  public EmbeddedKafkaBuilder listener(String name, String protocol) {
    protocols.put(name, protocol);
    ports.put(name, Ports.free());
    return this;
  }

  /** Starts the broker; returns when it accepts requests. */
  public EmbeddedKafka start() {
    Path directory = ScratchDirectory.directory("kafka");
    FaultProxy proxy = FaultProxy.to(port(PROXIED));
    setting("log.dirs", directory.resolve("data").toString());
    setting("controller.quorum.voters", "1@127.0.0.1:" + port(CONTROLLER));
    setting(
        "listeners",
        ports.entrySet().stream()
            .map(entry -> url(entry.getKey(), entry.getValue()))
            .collect(Collectors.joining(",")));
    setting(
        "advertised.listeners",
        ports.entrySet().stream()
            .filter(entry -> !entry.getKey().equals(CONTROLLER))
            .map(
                entry ->
                    url(
                        entry.getKey(),
                        entry.getKey().equals(PROXIED) ? proxy.port() : entry.getValue()))
            .collect(Collectors.joining(",")));
    setting(
        "listener.security.protocol.map",
        protocols.entrySet().stream()
            .map(entry -> entry.getKey() + ":" + entry.getValue())
            .collect(Collectors.joining(",")));
    EmbeddedKafka kafka = new EmbeddedKafka(directory, ports, proxy);
    kafka.format(settings);
    kafka.start();
    return kafka;
  }

  private int port(String listener) {
    Integer port = ports.get(listener);
    if (port == null) {
      throw new IllegalStateException("there is no listener " + listener);
    }
    return port;
  }

  private static String url(String name, int port) {
    return name + "://127.0.0.1:" + port;
  }
}
