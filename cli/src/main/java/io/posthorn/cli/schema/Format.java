package io.posthorn.cli.schema;

import io.posthorn.postgresql.Migrations.Migration;
import io.posthorn.postgresql.Tables;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How the migrations are written down. */
enum Format {
  /** One file per migration. */
  FLYWAY {
    @Override
    Map<String, String> files(Tables tables, List<Migration> migrations) {
      Map<String, String> files = new LinkedHashMap<>();
      for (Migration migration : migrations) {
        files.put(migration.fileName(), sql(tables, migration));
      }
      return files;
    }
  },

  /** One changelog for all. */
  LIQUIBASE {
    @Override
    Map<String, String> files(Tables tables, List<Migration> migrations) {
      StringBuilder changelog = new StringBuilder("--liquibase formatted sql\n");
      for (Migration migration : migrations) {
        changelog
            .append("\n--changeset posthorn:")
            .append(migration.version())
            .append(" splitStatements:false stripComments:false\n")
            .append(sql(tables, migration));
      }
      return Map.of("posthorn.sql", changelog.toString());
    }
  };

  /** The text of each file, by its name. */
  abstract Map<String, String> files(Tables tables, List<Migration> migrations);

  // Whoever may not create a schema may still own one, so it is only created if it is missing:
  // CREATE SCHEMA IF NOT EXISTS asks for the right even where there is nothing to do.
  private static String sql(Tables tables, Migration migration) {
    if (migration.version() > 1 || tables.schema().equals(Tables.DEFAULT.schema())) {
      return migration.sql();
    }
    return """
        DO $$
        BEGIN
          IF to_regnamespace('%1$s') IS NULL THEN
            CREATE SCHEMA %1$s;
          END IF;
        END
        $$;

        """
            .formatted(tables.schema())
        + migration.sql();
  }
}
