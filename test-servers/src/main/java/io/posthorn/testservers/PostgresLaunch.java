package io.posthorn.testservers;

import java.sql.SQLException;
import java.time.Duration;

/** Starts a server on a data directory, until it accepts connections. */
record PostgresLaunch(
    PostgresPrograms programs,
    Unprivileged user,
    PostgresDirectory directory,
    PostgresSettings settings) {
  private static final Duration READY_WITHIN = Duration.ofSeconds(30);
  private static final int PORTS_TO_TRY = 5;

  /** Launches the server. Chooses a port if the settings have none, which the server then keeps. */
  PostgresProcess launch() {
    boolean anyPort = !settings.hasPort();
    for (int tries = 1; ; tries++) {
      if (anyPort) {
        settings.setPort(Ports.free());
      }
      directory.configure(settings);
      PostgresProcess process =
          PostgresProcess.start(
              programs, directory.path(), directory.log(), user, settings.environment());
      if (becomesReady(process)) {
        return process;
      }
      process.kill();
      // Another program took the port after it was found free.
      boolean portTaken = directory.logTail().contains("could not bind");
      if (!anyPort || !portTaken || tries == PORTS_TO_TRY) {
        throw new TestServerException(
            "PostgreSQL %d in %s did not start. The end of its log:%n%s"
                .formatted(programs.major(), directory.path(), directory.logTail()));
      }
    }
  }

  private boolean becomesReady(PostgresProcess process) {
    return Waiting.holdsWithin(READY_WITHIN, () -> !process.isRunning() || answers())
        && process.isRunning();
  }

  // The data directory distinguishes this server from another one on the same port.
  private boolean answers() {
    PostgresAdmin admin = new PostgresAdmin(EmbeddedPostgres.jdbcUrl(settings.port(), "postgres"));
    try {
      return admin.query("SHOW data_directory").equals(directory.path().toString());
    } catch (SQLException e) {
      return false;
    }
  }
}
