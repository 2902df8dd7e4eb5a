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
record Failures(BooleanSupplier stackTrace) {

  int commandFailed(Exception failure, CommandLine command, ParseResult parsed) {
    PrintWriter err = command.getErr();
    err.println("posthorn: " + firstLine(failure));
    if (failure instanceof CommandFailed failed && !failed.details().isEmpty()) {
      err.println(Plain.text(failed.details()));
    }
    if (stackTrace.getAsBoolean()) {
      Sanitiser.clean(failure).printStackTrace(err);
    }
    return ExitCode.SOFTWARE;
  }

  int notUnderstood(ParameterException failure, String[] args) {
    CommandLine command = failure.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("posthorn: " + firstLine(failure));
    if (stackTrace.getAsBoolean()) {
      failure.printStackTrace(err);
    }
    boolean guessed = UnmatchedArgumentException.printSuggestions(failure, err);
    if (!guessed && !command.getSubcommands().isEmpty()) {
      command.usage(err);
    } else {
      err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    }
    return ExitCode.USAGE;
  }

  private static String firstLine(Throwable failure) {
    String message = failure.getMessage();
    if (message == null || message.isBlank()) {
      return failure.getClass().getSimpleName();
    }
    return Plain.line(message.lines().findFirst().orElse(message));
  }
}
