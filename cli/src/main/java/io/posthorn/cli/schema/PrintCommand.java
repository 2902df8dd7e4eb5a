package io.posthorn.cli.schema;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.TablesOptions;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Tables;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the migrations as SQL, for services that run migrations themselves. */
@Command(
    name = "print",
    description = "Print the migrations as SQL, for Flyway or Liquibase. Needs no database.")
final class PrintCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final TablesOptions where = new TablesOptions();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "Format of the output: flyway (the default) or liquibase.",
      defaultValue = "flyway")
  private Format format = Format.FLYWAY;

  @Option(
      names = "--to",
      paramLabel = "DIRECTORY",
      description =
          "Write files into this directory. A file with different content is never overwritten.")
  private @Nullable Path directory;

  @Mixin private final FindingOption finding = new FindingOption();

  @Option(
      names = "--only-finding",
      description =
          "Print only the statements that add the indexes left out by --without-finding. Writers may go on meanwhile. Run them with psql, outside a transaction.")
  private boolean onlyFinding;

  @Override
  public void run() {
    Tables tables = where.tables();
    if (onlyFinding) {
      PrintWriter out = spec.commandLine().getOut();
      new Migrations(tables).finding().forEach(statement -> out.println(statement + ";"));
      out.flush();
      return;
    }
    Map<String, String> files = format.files(tables, finding.migrations(tables).all());
    if (directory == null) {
      print(files);
    } else {
      write(directory, files);
    }
  }

  private void print(Map<String, String> files) {
    PrintWriter out = spec.commandLine().getOut();
    files.forEach(
        (name, text) -> {
          // A Liquibase changelog must begin with its own line.
          if (format == Format.FLYWAY) {
            out.println("-- " + name);
          }
          out.println(text);
        });
    out.flush();
  }

  private void write(Path to, Map<String, String> files) {
    PrintWriter out = spec.commandLine().getOut();
    try {
      Files.createDirectories(to);
      for (Map.Entry<String, String> file : files.entrySet()) {
        Path path = to.resolve(file.getKey());
        if (!Files.exists(path)) {
          Files.writeString(path, file.getValue());
          out.println("wrote " + path);
        } else if (Files.readString(path).equals(file.getValue())) {
          out.println("kept " + path + ", which has the same content");
        } else {
          throw new CommandFailed(
              path + " was not written: the file exists with different content. Move it away first",
              null);
        }
      }
    } catch (IOException e) {
      throw new CommandFailed("cannot write to " + to + ": " + e, e);
    }
  }
}
