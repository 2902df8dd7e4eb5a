package io.posthorn.cli.schema;

import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Tables;
import picocli.CommandLine.Option;

/** Whether messages are to be found by key and correlation. */
final class FindingOption {
  @Option(
      names = "--without-finding",
      description =
          "Leave out the indexes by which people find messages of a key or a correlation: they cost writers 4 %%, and 'schema print --only-finding' adds them later.")
  private boolean without;

  Migrations migrations(Tables tables) {
    Migrations all = new Migrations(tables);
    return without ? all.withoutFinding() : all;
  }
}
