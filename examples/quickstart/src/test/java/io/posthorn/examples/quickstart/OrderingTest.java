package io.posthorn.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OrderingTest {
  private final EmbeddedPostgres postgres = EmbeddedPostgres.shared();
  private final DataSource dataSource = postgres.dataSource(postgres.freshDatabase());

  @BeforeEach
  void create_the_application_s_own_tables() throws SQLException {
    try (var connection = dataSource.getConnection();
        var statement = connection.createStatement()) {
      statement.execute("CREATE TABLE app_order (id text PRIMARY KEY, state text NOT NULL)");
      statement.execute("CREATE TABLE stock (article text PRIMARY KEY, pieces int NOT NULL)");
      statement.execute("INSERT INTO stock VALUES ('cup', 2)");
    }
  }

  @Test
  void orders_are_packed_while_there_is_stock_and_each_takes_one_piece() throws SQLException {
    try (Ordering ordering = new Ordering(dataSource)) {
      for (int order = 1; order <= 3; order++) {
        ordering.place("order-" + order, "cup");
      }
      await()
          .untilAsserted(
              () -> {
                assertThat(number("SELECT count(*) FROM app_order WHERE state = 'packed'"))
                    .isEqualTo(2);
                assertThat(number("SELECT count(*) FROM posthorn_dead")).isEqualTo(1);
              });
      assertThat(number("SELECT pieces FROM stock")).isZero();
    }
  }

  private long number(String sql) throws SQLException {
    try (var connection = dataSource.getConnection();
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
