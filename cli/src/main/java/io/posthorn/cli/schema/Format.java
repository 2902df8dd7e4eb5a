package io.posthorn.cli.schema;

import io.posthorn.postgresql.Migrations.Migration;
import io.posthorn.postgresql.Tables;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The formats in which migrations are printed. */
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

  /** One changelog for all migrations. */
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

  /** Returns the text of each file by its name. */
  abstract Map<String, String> files(Tables tables, List<Migration> migrations);

  // The schema is created only if it is missing, because a role without the right to create schemas
  // may still own one, and CREATE SCHEMA IF NOT EXISTS needs that right even if the schema exists.
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
