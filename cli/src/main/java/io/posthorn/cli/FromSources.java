package io.posthorn.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * A command that this program lists but does not contain. It starts its own servers, which an
 * operator's tool must not ship. The script {@code posthorn} runs it from another module.
 */
abstract class FromSources implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Unmatched private final List<String> ignored = new ArrayList<>();

  @Command(
      name = "demo",
      description =
          "Watch a shop's messages being delivered while relays are killed (only in a checkout of the sources).")
  static final class Demo extends FromSources {}

  @Command(
      name = "bench",
      description = "Measure Posthorn on this machine (only in a checkout of the sources).")
  static final class Bench extends FromSources {}

  @Command(
      name = "example",
      description =
          "Run an example application with its servers (only in a checkout of the sources).")
  static final class Example extends FromSources {}

  @Override
  public final Integer call() {
    throw new CommandFailed(
        "'%1$s' was not run: this program does not contain it. Run './posthorn %1$s' in a checkout of Posthorn's sources"
            .formatted(spec.name()),
        null);
  }
}
