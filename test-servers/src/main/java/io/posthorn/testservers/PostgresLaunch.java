package io.posthorn.testservers;

import java.sql.SQLException;
import java.time.Duration;

/** The way from a data directory to a server that accepts connections. */
record PostgresLaunch(
    PostgresPrograms programs,
    Unprivileged user,
    PostgresDirectory directory,
    PostgresSettings settings) {
  private static final Duration READY_WITHIN = Duration.ofSeconds(30);
  private static final int PORTS_TO_TRY = 5;

  /** Finds a port if the settings have none yet; from then on the server keeps it. */
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
      // Someone else took the port between the moment it was found free and now.
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

  // The directory tells this server from another one that happens to have the same port.
  private boolean answers() {
    PostgresAdmin admin = new PostgresAdmin(EmbeddedPostgres.jdbcUrl(settings.port(), "postgres"));
    try {
      return admin.query("SHOW data_directory").equals(directory.path().toString());
    } catch (SQLException e) {
      return false;
    }
  }
}
