package io.posthorn.postgresql.operate.restore;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/**
 * Does what pg_dump and psql, which test servers lack, do with Posthorn's tables: copies all rows
 * of one snapshot with COPY, and the sequences.
 */
final class Dump {
  private static final List<String> SEQUENCES = List.of("posthorn_seq", "posthorn_progress_n");

  private Dump() {}

  /** Restores into a database that already has the tables. */
  static void restore(DataSource from, DataSource to) {
    try (Connection source = from.getConnection();
        Connection target = to.getConnection()) {
      source.setAutoCommit(false);
      source.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      target.setAutoCommit(false);
      CopyManager out = source.unwrap(PGConnection.class).getCopyAPI();
      CopyManager in = target.unwrap(PGConnection.class).getCopyAPI();
      List<String> tables = tables(source);
      try (Statement statement = target.createStatement()) {
        // A dump creates the foreign keys after the rows.
        statement.execute("SET LOCAL session_replication_role = replica");
        statement.execute("TRUNCATE " + String.join(", ", tables));
        for (String table : tables) {
          ByteArrayOutputStream rows = new ByteArrayOutputStream();
          out.copyOut("COPY " + table + " TO STDOUT", rows);
          in.copyIn("COPY " + table + " FROM STDIN", new ByteArrayInputStream(rows.toByteArray()));
        }
        for (String sequence : SEQUENCES) {
          statement.execute("SELECT setval('%s', %s)".formatted(sequence, value(source, sequence)));
        }
      }
      target.commit();
    } catch (SQLException | IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> tables(Connection source) throws SQLException {
    List<String> names = new ArrayList<>();
    try (Statement statement = source.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'posthorn\\_%'")) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    return names;
  }

  private static String value(Connection source, String sequence) throws SQLException {
    try (Statement statement = source.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT last_value || ', ' || is_called FROM " + sequence)) {
      row.next();
      return row.getString(1);
    }
  }
}
