package io.posthorn.cli;

import io.posthorn.cli.terminal.Plain;
import io.posthorn.core.error.Sanitiser;
import java.io.PrintWriter;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints a failure as one line that says what was not done, and why. */
record ErrorOutput(BooleanSupplier stackTrace) {

  int commandFailed(Exception failure, CommandLine command, ParseResult parsed) {
    PrintWriter err = command.getErr();
    err.println("posthorn: " + firstLine(failure));
    if (failure instanceof CommandFailed failed && !failed.details().isEmpty()) {
      err.println(Plain.text(Sanitiser.clean(failed.details())));
    }
    if (stackTrace.getAsBoolean()) {
      Sanitiser.clean(failure).printStackTrace(err);
    }
    return failure instanceof CommandFailed failed ? failed.code() : Exit.NOTHING_DONE;
  }

  int invalidUsage(ParameterException failure, String[] args) {
    CommandLine command = failure.getCommandLine();
    PrintWriter err = command.getErr();
    Exception shown = withoutValues(failure);
    err.println("posthorn: " + firstLine(shown));
    if (stackTrace.getAsBoolean()) {
      Sanitiser.clean(shown).printStackTrace(err);
    }
    boolean guessed = UnmatchedArgumentException.printSuggestions(failure, err);
    if (!guessed && !command.getSubcommands().isEmpty()) {
      command.usage(err);
    } else {
      err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    }
    return Exit.USAGE;
  }

  /** Repeats only the first unknown word, because a password may follow a mistyped option. */
  private static Exception withoutValues(ParameterException failure) {
    if (!(failure instanceof UnmatchedArgumentException unmatched)) {
      return failure;
    }
    String first = unmatched.getUnmatched().get(0);
    boolean option = first.startsWith("-");
    Exception shown =
        new ParameterException(
            failure.getCommandLine(),
            option
                ? "unknown option '%s'".formatted(first.replaceFirst("=.*", ""))
                : "unexpected argument '%s'".formatted(first));
    shown.setStackTrace(failure.getStackTrace());
    return shown;
  }

  private static String firstLine(Throwable failure) {
    String message = failure.getMessage();
    if (message == null || message.isBlank()) {
      return failure.getClass().getSimpleName();
    }
    return Plain.line(Sanitiser.clean(message.lines().findFirst().orElse(message)));
  }
}
