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

/** Prints the least rights that each role needs. */
@Command(
    name = "grants",
    description = {
      "Print the SQL that grants each role the least rights it needs.",
      "It changes nothing and needs no database: run its output as the owner of the tables."
    },
    footerHeading = "%nExample:%n",
    footer = "  posthorn schema grants --writer shop --relay shop_relay --operator ops | psql shop")
final class GrantsCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final TablesOptions where = new TablesOptions();

  @Option(
      names = "--writer",
      paramLabel = "ROLE",
      description = "Role of the service that adds messages; may be repeated.")
  private List<String> writers = new ArrayList<>();

  @Option(
      names = "--receiver",
      paramLabel = "ROLE",
      description =
          "Role of the service that receives messages; it may also add messages. May be repeated.")
  private List<String> receivers = new ArrayList<>();

  @Option(
      names = "--relay",
      paramLabel = "ROLE",
      description = "Role of the relays; may be repeated.")
  private List<String> relays = new ArrayList<>();

  @Option(
      names = "--operator",
      paramLabel = "ROLE",
      description = "Role of the people who use this command to operate; may be repeated.")
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
