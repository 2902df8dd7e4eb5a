package io.posthorn.server;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.Exit;
import io.posthorn.cli.database.Answer;
import io.posthorn.server.database.DatabaseCheck;
import io.posthorn.server.file.FileReader;
import io.posthorn.server.file.ServerFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Delivers the messages of the databases that a file names, until it is asked to stop. */
@Command(
    name = "server",
    description = {
      "Deliver the messages of the databases in a file to the destinations in it.",
      "SIGTERM and SIGINT stop it: it finishes what is in flight, gives its lanes back and exits with code 0. A second signal ends it at once.",
      "If the file has problems, all of them are printed, with their lines."
    },
    subcommands = {HashPasswordCommand.class, TokenCommand.class},
    exitCodeList = {
      "0:a signal stopped it, or the check found no problem",
      Exit.NOTHING_DONE_LINE,
      "2:invalid usage, or the file has problems",
      Exit.FOUND_LINE,
      "143:a second signal ended it"
    })
final class ServerCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(names = "--config", paramLabel = "FILE", description = "The server's file, in YAML.")
  private @Nullable Path config;

  @Option(
      names = "--check",
      description =
          "Only check: validate the file, try each database and each destination, print the results, and deliver nothing.")
  private boolean check;

  @Mixin private final Answer answer = new Answer();

  @Override
  public Integer call() throws InterruptedException {
    Path path = config;
    if (path == null) {
      return withoutFile();
    }
    FileReader.Result read = FileReader.read(path, System.getenv());
    ServerFile file = read.settings();
    if (file == null) {
      return invalid(path, read);
    }
    return check ? check(file) : new Server(file, read.readableByAll()).run();
  }

  private int withoutFile() {
    PrintWriter err = spec.commandLine().getErr();
    err.println(
        "posthorn: the server was not started: it has no configuration. Write a file such as this one, then run 'posthorn server --config posthorn.yaml --check':");
    err.println();
    err.println(Example.minimal());
    return Exit.USAGE;
  }

  private int invalid(Path path, FileReader.Result read) {
    PrintWriter err = spec.commandLine().getErr();
    String name = path.toString();
    read.problems().forEach(problem -> err.println(problem.in(name)));
    int count = read.problems().size();
    err.println(
        "posthorn: %s: %s has %d %s."
            .formatted(
                check ? "nothing was tried" : "the server was not started",
                name,
                count,
                count == 1 ? "problem" : "problems"));
    return Exit.USAGE;
  }

  private int check(ServerFile file) {
    List<DatabaseCheck.Result> results = DatabaseCheck.of(file);
    answer.table(
        List.of("database", "destination", "result", "found"),
        results.stream()
            .map(
                one ->
                    List.of(
                        one.database(),
                        one.destination(),
                        one.good() ? "ok" : "PROBLEM",
                        one.text()))
            .toList());
    // In full: the table has room for its beginning only.
    for (DatabaseCheck.Result one : results) {
      if (!one.good()) {
        answer.say("");
        String where = one.destination().isEmpty() ? "" : "/" + one.destination();
        answer.say("%s%s: %s".formatted(one.database(), where, one.text()));
      }
    }
    answer.value(results.stream().map(ServerCommand::json).toList());
    long bad = results.stream().filter(one -> !one.good()).count();
    if (bad > 0) {
      throw new CommandFailed(
          Exit.FOUND, "%d of %d checks found a problem".formatted(bad, results.size()), "");
    }
    return Exit.DONE;
  }

  private static Map<String, Object> json(DatabaseCheck.Result one) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("database", one.database());
    json.put("destination", one.destination());
    json.put("good", one.good());
    json.put("found", one.text());
    return json;
  }
}
