package io.posthorn.benchmarks;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * One database of the server, for statements that are not measured.
 *
 * @param dataSource opens a new connection each time
 */
record Database(String url, DataSource dataSource) {
  static Database at(String url) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url);
    return new Database(url, source);
  }

  void execute(String... statements) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new BenchException(statements[0], e);
    }
  }

  String text(String query) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    } catch (SQLException e) {
      throw new BenchException(query, e);
    }
  }

  double number(String query) {
    return Double.parseDouble(text(query));
  }
}
