package io.posthorn.cli.database;

import io.posthorn.core.operate.audit.By;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Who acts, and why; both are kept in the audit. */
public final class Reason {
  @Option(
      names = "--why",
      required = true,
      paramLabel = "TEXT",
      description = "The reason; it is kept in the audit.")
  private String why = "";

  @Option(
      names = "--who",
      paramLabel = "NAME",
      description = "Who acts; default: the user of this machine.")
  private @Nullable String who;

  public By by() {
    return new By(who == null ? System.getProperty("user.name", "unknown") : who, why);
  }
}
