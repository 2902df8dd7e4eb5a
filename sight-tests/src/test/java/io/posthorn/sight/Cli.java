package io.posthorn.sight;

import io.posthorn.cli.Posthorn;
import io.posthorn.testservers.JavaProcess;
import java.time.Duration;

/** The command line, as a program of its own. */
final class Cli {
  private Cli() {}

  /** All that it printed. */
  static String posthorn(String... args) {
    try (JavaProcess process =
        JavaProcess.of(Posthorn.class)
            .systemProperty("slf4j.provider", "org.slf4j.simple.SimpleServiceProvider")
            .environment("PGPASSWORD", Canary.SECRET)
            .args(args)
            .start()) {
      process.awaitExit(Duration.ofSeconds(60));
      return String.join("\n", process.output()) + "\n" + String.join("\n", process.errors());
    }
  }
}
