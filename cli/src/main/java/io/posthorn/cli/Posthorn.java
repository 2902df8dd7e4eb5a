package io.posthorn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.cli.audit.AuditCommand;
import io.posthorn.cli.completion.CompletionCommand;
import io.posthorn.cli.connection.Surroundings;
import io.posthorn.cli.database.IdConverter;
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
import io.posthorn.core.operate.id.IdPrefix;
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

/**
 * The {@code posthorn} command. To add a command, write a class and add one line to the list of
 * subcommands.
 */
@Command(
    name = "posthorn",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = Version.class,
    sortOptions = false,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {Exit.DONE_LINE, Exit.NOTHING_DONE_LINE, Exit.USAGE_LINE},
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
      CompletionCommand.class,
      FromSources.Bench.class,
      FromSources.Example.class,
    })
public final class Posthorn implements Runnable {
  private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  private final Surroundings surroundings;
  private boolean stackTrace;

  private Posthorn(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  /** Returns the root of a command. */
  public static Posthorn of(CommandSpec command) {
    return (Posthorn) command.root().userObject();
  }

  /** Returns the variables and the home of the user. */
  public Surroundings surroundings() {
    return surroundings;
  }

  public static void main(String[] args) {
    run(args);
  }

  /**
   * Runs the command and exits the JVM with its exit code. Other modules add their commands here.
   *
   * @param commands commands to add; each replaces a command of this module with the same name
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
   * Creates the command line with all commands. It prints to the given writers.
   *
   * @param commands see {@link #run}
   */
  public static CommandLine commandLine(PrintWriter out, PrintWriter err, Object... commands) {
    return commandLine(out, err, Surroundings.OF_PROCESS, commands);
  }

  /** Creates the command line for a user with these variables and this home. */
  public static CommandLine commandLine(
      PrintWriter out, PrintWriter err, Surroundings surroundings, Object... commands) {
    Posthorn posthorn = new Posthorn(surroundings);
    CommandLine line = new CommandLine(posthorn);
    for (Object command : commands) {
      CommandLine added = new CommandLine(command);
      line.getCommandSpec().removeSubcommand(added.getCommandName());
      line.addSubcommand(added);
    }
    // Not in the annotation, because every command without a description would inherit it.
    line.getCommandSpec()
        .usageMessage()
        .description(
            "Operate a Posthorn outbox: show what waits, fix what could not be delivered, manage the tables.")
        .footer(
            "",
            "Most commands need a database: --url jdbc:postgresql://HOST:5432/DATABASE --user ROLE, or POSTHORN_URL, POSTHORN_USER and POSTHORN_PASSWORD, or a profile: --profile staging. --password asks for the password.",
            "If messages do not arrive, start with 'posthorn status', 'posthorn doctor' and 'posthorn dead groups'. 'posthorn COMMAND --help' explains a command.");
    line.getCommandSpec().usageMessage().exitCodeList(Exit.all());
    line.setOut(out);
    line.setErr(err);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.registerConverter(IdPrefix.class, new IdConverter());
    line.setUsageHelpAutoWidth(true);
    line.setExecutionExceptionHandler(new ErrorOutput(() -> posthorn.stackTrace)::commandFailed);
    line.setParameterExceptionHandler(new ErrorOutput(() -> posthorn.stackTrace)::invalidUsage);
    return line;
  }

  // Always UTF-8, whatever the locale says: a character that the terminal cannot show is better
  // sent unchanged than replaced by '?'.
  private static PrintWriter writer(FileDescriptor descriptor) {
    return new PrintWriter(
        new OutputStreamWriter(new FileOutputStream(descriptor), UTF_8), /* autoFlush= */ true);
  }

  // picocli calls this before the command runs, so before the first logger is created.
  @Option(
      names = {"-v", "--verbose"},
      scope = ScopeType.INHERIT,
      description = "Show the library's log on standard error.")
  void verbose(boolean verbose) {
    if (verbose) {
      System.setProperty(LOG_LEVEL, "info");
    }
  }

  @Option(
      names = "--stacktrace",
      scope = ScopeType.INHERIT,
      description = "Show the stack trace of a failure.")
  void stackTrace(boolean show) {
    this.stackTrace = show;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
