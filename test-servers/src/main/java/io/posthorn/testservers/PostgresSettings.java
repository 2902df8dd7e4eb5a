package io.posthorn.testservers;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Server settings, written to a file that {@code postgresql.conf} includes. Unlike options on the
 * command line, they can be overridden by {@code ALTER SYSTEM}.
 */
final class PostgresSettings {
  static final String FILE = "posthorn.conf";
  static final String INCLUDE = "\ninclude = '" + FILE + "'\n";

  private static final String PORT = "port";

  private final Map<String, String> values = new LinkedHashMap<>();
  private final Map<String, String> environment = new LinkedHashMap<>();

  PostgresSettings() {
    set("listen_addresses", "127.0.0.1");
    set("unix_socket_directories", "");
    set("max_connections", "300");
    set("timezone", "UTC");
    set("log_timezone", "UTC");
    set("log_checkpoints", "off");
    // In the data directory, which is removed. In /dev/shm, a killed server's memory would stay.
    set("dynamic_shared_memory_type", "mmap");
    setDurable(false);
  }

  private PostgresSettings(PostgresSettings other) {
    values.putAll(other.values);
    environment.putAll(other.environment);
  }

  /** Returns the same settings for another server, without the port. */
  PostgresSettings copy() {
    PostgresSettings copy = new PostgresSettings(this);
    copy.values.remove(PORT);
    return copy;
  }

  boolean hasPort() {
    return values.containsKey(PORT);
  }

  int port() {
    String port = values.get(PORT);
    if (port == null) {
      throw new TestServerException("this PostgreSQL has no port yet: it was never started");
    }
    return Integer.parseInt(port);
  }

  void setPort(int port) {
    set(PORT, Integer.toString(port));
  }

  /** The environment variables of the server's process. */
  Map<String, String> environment() {
    return environment;
  }

  void setEnvironment(Map<String, String> variables) {
    environment.putAll(variables);
  }

  void set(String name, String value) {
    values.put(name, value);
  }

  /** A commit always survives the death of the server; if durable, that of the machine too. */
  void setDurable(boolean durable) {
    String onOrOff = durable ? "on" : "off";
    set("fsync", onOrOff);
    set("full_page_writes", onOrOff);
    set("synchronous_commit", "on");
  }

  String fileContents() {
    return values.entrySet().stream()
        .map(e -> e.getKey() + " = '" + e.getValue().replace("'", "''") + "'\n")
        .collect(Collectors.joining());
  }
}
