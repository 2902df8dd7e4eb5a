package io.posthorn.postgresql;

import io.posthorn.postgresql.sql.Query;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Runs the SQL of tests. */
public final class Jdbc {
  private Jdbc() {}

  public static void execute(DataSource dataSource, String sql) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  public static <T> List<T> query(DataSource dataSource, String sql, Query.Row<T> mapper) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet results = statement.executeQuery(sql)) {
      List<T> rows = new ArrayList<>();
      while (results.next()) {
        rows.add(mapper.map(results));
      }
      return rows;
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  public static long number(DataSource dataSource, String sql) {
    return query(dataSource, sql, row -> row.getLong(1)).get(0);
  }
}
