package io.posthorn.cli.schema;

import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Tables;
import picocli.CommandLine.Option;

/** The option that leaves out the indexes for finding messages. */
final class FindingOption {
  @Option(
      names = "--without-finding",
      description =
          "Leave out the indexes that find messages by key or correlation. They cost writers 4 %%; 'schema print --only-finding' prints them for later.")
  private boolean without;

  Migrations migrations(Tables tables) {
    Migrations all = new Migrations(tables);
    return without ? all.withoutFinding() : all;
  }
}
