package io.posthorn.cli.retention;

import io.posthorn.core.operate.retention.RetentionTimes;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options for how long messages and dead letters stay. */
public final class TimesOptions {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--retention",
      defaultValue = "7d",
      paramLabel = "TIME",
      description = "Keep delivered messages for this long; default: ${DEFAULT-VALUE}.")
  private String sent = "";

  @Option(
      names = "--dead-retention",
      defaultValue = "30d",
      paramLabel = "TIME",
      description = "Keep dead letters for this long; default: ${DEFAULT-VALUE}.")
  private String dead = "";

  public RetentionTimes times() {
    return new RetentionTimes(time("--retention", sent), time("--dead-retention", dead));
  }

  private Duration time(String option, String text) {
    if (!text.matches("\\d{1,6}[mhd]")) {
      throw new ParameterException(
          spec.commandLine(), option + " is not a duration: write 90m, 12h or 7d");
    }
    String upper = text.toUpperCase(Locale.ROOT);
    return Duration.parse(upper.endsWith("D") ? "P" + upper : "PT" + upper);
  }
}
