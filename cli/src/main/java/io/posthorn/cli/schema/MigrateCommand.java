package io.posthorn.cli.schema;

import io.posthorn.cli.database.ConfirmOption;
import io.posthorn.cli.database.ConnectionOptions;
import io.posthorn.cli.database.TablesOptions;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Migrations.Migration;
import io.posthorn.postgresql.Tables;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Applies the missing migrations. */
@Command(
    name = "migrate",
    description = {
      "Create Posthorn's tables in a database, or upgrade them to this version.",
      "Repeating it is harmless: it only applies what is missing."
    },
    footerHeading = "%nExample:%n",
    footer = "  posthorn schema migrate --url jdbc:postgresql://localhost:5432/shop --user owner")
final class MigrateCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final ConnectionOptions connection = new ConnectionOptions();
  @Mixin private final TablesOptions where = new TablesOptions();

  @Mixin private final FindingOption finding = new FindingOption();

  @SuppressWarnings("UnusedVariable") // the connection reads it
  @Mixin
  private final ConfirmOption confirm = new ConfirmOption();

  @Override
  public void run() {
    Tables tables = where.tables(connection.profile());
    List<Migration> applied = finding.migrations(tables).migrate(connection.dataSource());
    PrintWriter out = spec.commandLine().getOut();
    for (Migration migration : applied) {
      out.println("applied " + migration.fileName());
    }
    out.println(
        "the tables %s.%s* have version %d%s"
            .formatted(
                tables.schema(),
                tables.prefix(),
                Migrations.VERSION,
                applied.isEmpty() ? "; there was nothing to do" : ""));
  }
}
