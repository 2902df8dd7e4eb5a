package io.posthorn.server;

import io.posthorn.postgresql.PostgresqlStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** What a team without Java does: adds by SQL; and what a test looks at. */
public record Sql(DataSource dataSource) {
  public void migrate() {
    PostgresqlStore.on(dataSource).migrate();
  }

  public void add(String type) throws SQLException {
    query(
        """
        SELECT posthorn_add(
          type           => '%s',
          payload        => convert_to('{"id": 42}', 'UTF8'),
          aggregate_type => 'order',
          key            => '42')
        """
            .formatted(type));
  }

  public int lanesHeld() throws SQLException {
    return Integer.parseInt(query("SELECT count(*) FROM posthorn_lane WHERE relay IS NOT NULL"));
  }

  /** Returns null if no relay has named it yet. */
  public String environment() throws SQLException {
    return query("SELECT environment FROM posthorn_meta");
  }

  private String query(String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }
}
