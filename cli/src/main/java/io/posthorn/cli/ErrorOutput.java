package io.posthorn.cli;

import io.posthorn.cli.terminal.Plain;
import io.posthorn.core.error.Sanitiser;
import java.io.PrintWriter;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** How failures look: one line that says what was not done, and why. */
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
    return ExitCode.SOFTWARE;
  }

  int notUnderstood(ParameterException failure, String[] args) {
    CommandLine command = failure.getCommandLine();
    PrintWriter err = command.getErr();
    Exception told = withoutValues(failure);
    err.println("posthorn: " + firstLine(told));
    if (stackTrace.getAsBoolean()) {
      Sanitiser.clean(told).printStackTrace(err);
    }
    boolean guessed = UnmatchedArgumentException.printSuggestions(failure, err);
    if (!guessed && !command.getSubcommands().isEmpty()) {
      command.usage(err);
    } else {
      err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    }
    return ExitCode.USAGE;
  }

  /** What follows a mistyped option may be a password: only the first word is repeated. */
  private static Exception withoutValues(ParameterException failure) {
    if (!(failure instanceof UnmatchedArgumentException unmatched)) {
      return failure;
    }
    String first = unmatched.getUnmatched().get(0);
    boolean option = first.startsWith("-");
    Exception told =
        new ParameterException(
            failure.getCommandLine(),
            option
                ? "there is no option '%s'".formatted(first.replaceFirst("=.*", ""))
                : "'%s' was not understood".formatted(first));
    told.setStackTrace(failure.getStackTrace());
    return told;
  }

  private static String firstLine(Throwable failure) {
    String message = failure.getMessage();
    if (message == null || message.isBlank()) {
      return failure.getClass().getSimpleName();
    }
    return Plain.line(Sanitiser.clean(message.lines().findFirst().orElse(message)));
  }
}
