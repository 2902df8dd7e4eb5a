package io.posthorn.cli.schema;

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

/** Applies what is missing. */
@Command(name = "migrate", description = "Make the tables in a database, or bring them up to date.")
final class MigrateCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final ConnectionOptions connection = new ConnectionOptions();
  @Mixin private final TablesOptions where = new TablesOptions();

  @Mixin private final FindingOption finding = new FindingOption();

  @Override
  public void run() {
    Tables tables = where.tables();
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
                applied.isEmpty() ? "; nothing was to be done" : ""));
  }
}
