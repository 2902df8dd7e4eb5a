package io.posthorn.testservers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Collects the settings of an {@link EmbeddedRabbitMq}. Created by {@link
 * EmbeddedRabbitMq#builder}.
 */
public final class EmbeddedRabbitMqBuilder {
  private static final String PROPERTY = "posthorn.rabbitmq";
  // The script on the PATH switches to the service's user, so it is not used.
  private static final Path SERVER = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");

  private final Map<String, String> settings = new LinkedHashMap<>();
  private final List<String> plugins = new ArrayList<>();

  EmbeddedRabbitMqBuilder() {
    setting("loopback_users.guest", "true");
    setting("log.console.level", "warning");
    setting("log.file", "false");
    // A test machine may be short of space, but only tests that ask for an alarm should get one.
    setting("disk_free_limit.absolute", "1MB");
    setting("vm_memory_high_watermark.absolute", "2GB");
  }

  /** One line of {@code rabbitmq.conf}, for example {@code max_message_size}, {@code 1000000}. */
  public EmbeddedRabbitMqBuilder setting(String name, String value) {
    settings.put(name, value);
    return this;
  }

  /** Enables a plugin that RabbitMQ ships, for example {@code rabbitmq_management}. */
  public EmbeddedRabbitMqBuilder plugin(String name) {
    plugins.add(name);
    return this;
  }

  /** Starts the broker; returns when it accepts connections. */
  public EmbeddedRabbitMq start() {
    Path server = server();
    Path epmd = epmd();
    int port = Ports.free();
    setting("listeners.tcp.1", "127.0.0.1:" + port);
    Path directory = ScratchDirectory.directory("rabbitmq");
    try {
      Files.writeString(directory.resolve("rabbitmq.conf"), fileContents());
      Files.writeString(
          directory.resolve("enabled_plugins"), "[" + String.join(",", plugins) + "].\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    EmbeddedRabbitMq rabbit = new EmbeddedRabbitMq(server, epmd, directory, port);
    rabbit.start();
    return rabbit;
  }

  private String fileContents() {
    return settings.entrySet().stream()
        .map(e -> e.getKey() + " = " + e.getValue() + "\n")
        .collect(Collectors.joining());
  }

  private static Path server() {
    Optional<String> given = UserSetting.value(PROPERTY);
    Path server = given.map(Path::of).orElse(SERVER);
    if (!Files.isExecutable(server)) {
      throw notFound(server.toString());
    }
    return server;
  }

  private static Path epmd() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .map(directory -> Path.of(directory, "epmd"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> notFound("epmd on the PATH"));
  }

  private static TestServerException notFound(String what) {
    return new TestServerException(
        ("RabbitMQ was not found: there is no %s. Install it (on Debian: apt-get install "
                + "rabbitmq-server) or set the variable %s to the script rabbitmq-server in its "
                + "folder bin or sbin.")
            .formatted(what, UserSetting.variable(PROPERTY)));
  }
}
