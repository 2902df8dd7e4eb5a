package io.posthorn.cli.schema;

import io.posthorn.cli.database.TablesOptions;
import io.posthorn.postgresql.Grants;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The least that each role needs. */
@Command(
    name = "grants",
    description = "Print what each role must be allowed to do. Needs no database.")
final class GrantsCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final TablesOptions where = new TablesOptions();

  @Option(names = "--writer", paramLabel = "ROLE", description = "The service that adds messages.")
  private List<String> writers = new ArrayList<>();

  @Option(
      names = "--receiver",
      paramLabel = "ROLE",
      description = "The service that receives messages; it may add some, too.")
  private List<String> receivers = new ArrayList<>();

  @Option(names = "--relay", paramLabel = "ROLE", description = "The relay that delivers them.")
  private List<String> relays = new ArrayList<>();

  @Option(names = "--operator", paramLabel = "ROLE", description = "The person who mends.")
  private List<String> operators = new ArrayList<>();

  @Override
  public void run() {
    if (writers.isEmpty() && receivers.isEmpty() && relays.isEmpty() && operators.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(),
          "name at least one role: --writer, --receiver, --relay or --operator");
    }
    Grants grants = new Grants(where.tables());
    print("writer", writers, grants::writer);
    print("receiver", receivers, grants::receiver);
    print("relay", relays, grants::relay);
    print("operator", operators, grants::operator);
  }

  private void print(String what, List<String> roles, UnaryOperator<String> sql) {
    PrintWriter out = spec.commandLine().getOut();
    for (String role : roles) {
      out.println("-- " + what + ": " + role.lines().findFirst().orElse(""));
      out.println(sql.apply(role));
    }
    out.flush();
  }
}
