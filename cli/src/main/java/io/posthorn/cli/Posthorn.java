package io.posthorn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.cli.audit.AuditCommand;
import io.posthorn.cli.dead.DeadCommand;
import io.posthorn.cli.doctor.DoctorCommand;
import io.posthorn.cli.inbox.InboxCommand;
import io.posthorn.cli.messages.MessagesCommand;
import io.posthorn.cli.operations.OperationsCommand;
import io.posthorn.cli.restore.AdoptCommand;
import io.posthorn.cli.restore.FenceCommand;
import io.posthorn.cli.restore.GhostsCommand;
import io.posthorn.cli.retention.RetentionCommand;
import io.posthorn.cli.schema.SchemaCommand;
import io.posthorn.cli.status.StatusCommand;
import io.posthorn.cli.steering.DestinationsCommand;
import io.posthorn.cli.steering.ParkedCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The posthorn command. A new command is a class, and one line in the list of subcommands. */
@Command(
    name = "posthorn",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = Version.class,
    sortOptions = false,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "1:failed", "2:not understood"},
    subcommands = {
      FromSources.Demo.class, //
      SchemaCommand.class,
      StatusCommand.class,
      DoctorCommand.class,
      MessagesCommand.class,
      DestinationsCommand.class,
      ParkedCommand.class,
      DeadCommand.class,
      InboxCommand.class,
      OperationsCommand.class,
      RetentionCommand.class,
      AuditCommand.class,
      AdoptCommand.class,
      FenceCommand.class,
      GhostsCommand.class,
      FromSources.Bench.class,
      FromSources.Example.class,
    })
public final class Posthorn implements Runnable {
  private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  private boolean stackTrace;

  public static void main(String[] args) {
    run(args);
  }

  /**
   * Runs the command and ends the program. Other modules add their commands here.
   *
   * @param commands added to those of this module; one of the same name is replaced
   */
  public static void run(String[] args, Object... commands) {
    PrintWriter out = writer(FileDescriptor.out);
    PrintWriter err = writer(FileDescriptor.err);
    int code = commandLine(out, err, commands).execute(args);
    out.flush();
    err.flush();
    System.exit(code);
  }

  /**
   * The whole command, printing to these.
   *
   * @param commands as of {@link #run}
   */
  public static CommandLine commandLine(PrintWriter out, PrintWriter err, Object... commands) {
    Posthorn posthorn = new Posthorn();
    CommandLine line = new CommandLine(posthorn);
    for (Object command : commands) {
      CommandLine added = new CommandLine(command);
      line.getCommandSpec().removeSubcommand(added.getCommandName());
      line.addSubcommand(added);
    }
    // Not an annotation: it would become the text of every command that has none.
    line.getCommandSpec()
        .usageMessage()
        .description("A transactional outbox that delivers surely and in order.");
    line.setOut(out);
    line.setErr(err);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setUsageHelpAutoWidth(true);
    line.setExecutionExceptionHandler(new ErrorOutput(() -> posthorn.stackTrace)::commandFailed);
    line.setParameterExceptionHandler(new ErrorOutput(() -> posthorn.stackTrace)::notUnderstood);
    return line;
  }

  // UTF-8 whatever the locale says: what cannot be shown anyway is not worth a '?'.
  private static PrintWriter writer(FileDescriptor descriptor) {
    return new PrintWriter(
        new OutputStreamWriter(new FileOutputStream(descriptor), UTF_8), /* autoFlush= */ true);
  }

  // Before the first logger is made, which is when a command begins to run.
  @Option(
      names = {"-v", "--verbose"},
      scope = ScopeType.INHERIT,
      description = "Show what the library logs.")
  void verbose(boolean verbose) {
    if (verbose) {
      System.setProperty(LOG_LEVEL, "info");
    }
  }

  @Option(
      names = "--stacktrace",
      scope = ScopeType.INHERIT,
      description = "Show where a failure comes from.")
  void stackTrace(boolean show) {
    this.stackTrace = show;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
