package io.posthorn.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestServer;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** On a pool with SERIALIZABLE connections, read-only work takes no part in conflicts. */
class ReadIsolationTest {
  private static final Sql ISOLATION =
      Sql.of("read isolation", "SELECT current_setting('transaction_isolation')");

  @Test
  void what_only_reads_is_read_committed_whatever_the_pool_says() {
    try (PostgresqlDatabase odd = TestServer.newest().databaseWithOddPool()) {
      Database database = new Database(odd.dataSource(), odd.names());
      String read = database.read("reading", ISOLATION, ReadIsolationTest::only);
      assertThat(read).isEqualTo("read committed");
      String asked = database.ask("asking", ISOLATION, ReadIsolationTest::only);
      assertThat(asked).isEqualTo("read committed");
    }
  }

  private static String only(Query query) throws SQLException {
    return query.rows(row -> row.getString(1)).get(0);
  }
}
