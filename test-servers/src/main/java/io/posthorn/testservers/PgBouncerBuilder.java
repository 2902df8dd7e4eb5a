package io.posthorn.testservers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Collects the settings of a {@link PgBouncer}. Created by {@link PgBouncer#inFrontOf}. */
public final class PgBouncerBuilder {
  private static final String PROPERTY = "posthorn.pgbouncer";
  private static final String PROGRAM = "pgbouncer";

  private final int postgresPort;
  private final Map<String, String> settings = new LinkedHashMap<>();
  private Unprivileged user = Unprivileged.here();

  PgBouncerBuilder(int postgresPort) {
    this.postgresPort = postgresPort;
    setting("listen_addr", "127.0.0.1");
    setting("unix_socket_dir", "");
    setting("auth_type", "any");
    setting("pool_mode", "transaction");
    setting("max_client_conn", "1000");
    // pgjdbc always sends this parameter.
    setting("ignore_startup_parameters", "extra_float_digits");
    poolSize(20);
  }

  /** The most server connections for one database; default 20. */
  public PgBouncerBuilder poolSize(int connections) {
    return setting("default_pool_size", Integer.toString(connections));
  }

  /** One line of {@code pgbouncer.ini}, for example {@code query_wait_timeout}, {@code 2}. */
  public PgBouncerBuilder setting(String name, String value) {
    settings.put(name, value);
    return this;
  }

  PgBouncerBuilder user(Unprivileged user) {
    this.user = user;
    return this;
  }

  /** Starts it; returns when it accepts connections. */
  public PgBouncer start() {
    Path program = program();
    int port = Ports.free();
    setting("listen_port", Integer.toString(port));
    Path directory = ScratchDirectory.directory(PROGRAM);
    try {
      Files.writeString(directory.resolve("pgbouncer.ini"), fileContents());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    user.giveTo(directory);
    PgBouncer bouncer = new PgBouncer(program, directory, user, port);
    bouncer.start();
    return bouncer;
  }

  private String fileContents() {
    String lines =
        settings.entrySet().stream()
            .map(e -> e.getKey() + " = " + e.getValue())
            .collect(Collectors.joining("\n"));
    return """
        [databases]
        * = host=127.0.0.1 port=%d user=postgres
        [pgbouncer]
        %s
        """
        .formatted(postgresPort, lines);
  }

  private static Path program() {
    Optional<String> given = UserSetting.value(PROPERTY);
    // Debian installs it in a directory that is only on root's PATH.
    Stream<Path> places =
        given.isPresent()
            ? given.map(Path::of).stream()
            : Stream.concat(
                Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                    .map(directory -> Path.of(directory, PROGRAM)),
                Stream.of(Path.of("/usr/sbin", PROGRAM)));
    return places
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> notFound(given.orElse("PATH and /usr/sbin")));
  }

  private static TestServerException notFound(String where) {
    return new TestServerException(
        ("PgBouncer was not found in %s. Install it (on Debian: apt-get install "
                + "pgbouncer) or set the variable %s to the program.")
            .formatted(where, UserSetting.variable(PROPERTY)));
  }
}
