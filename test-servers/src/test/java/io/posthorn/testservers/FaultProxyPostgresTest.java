package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The faults that matter most to an outbox: commits whose answer was lost. */
class FaultProxyPostgresTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final StreamMatcher COMMIT = StreamMatcher.token("commit");

  private String database;
  private DataSource direct;
  private FaultProxy proxy;

  @BeforeEach
  void open() throws SQLException {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    database = postgres.freshDatabase();
    direct = postgres.dataSource(database);
    Sql.execute(direct, "CREATE TABLE paid (id int)");
    proxy = FaultProxy.to(postgres.port());
  }

  @AfterEach
  void close() {
    proxy.close();
  }

  @Test
  void a_commit_cut_before_its_reply_is_committed_but_fails_for_the_client() throws Exception {
    try (Connection connection = connect("&prepareThreshold=0")) {
      Sql.execute(connection, "INSERT INTO paid VALUES (1)");
      Cut cut = proxy.cutBeforeReply(COMMIT);

      assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);

      cut.awaitSettled(PATIENCE);
      assertThat(paid()).isEqualTo("1");
    }
  }

  @Test
  void a_commit_cut_before_the_server_gets_it_is_rolled_back() throws Exception {
    try (Connection connection = connect("&prepareThreshold=0")) {
      Sql.execute(connection, "INSERT INTO paid VALUES (1)");
      Cut cut = proxy.cutBeforeForward(COMMIT);

      assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);

      cut.awaitSettled(PATIENCE);
      assertThat(paid()).isEqualTo("0");
    }
  }

  @Test
  void a_commit_that_is_held_arrives_late() throws Exception {
    try (Connection connection = connect("&prepareThreshold=0&socketTimeout=1")) {
      Sql.execute(connection, "INSERT INTO paid VALUES (1)");
      proxy.hold();
      assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
      assertThat(paid()).isEqualTo("0");

      proxy.pass();

      Waiting.until("the commit to arrive", PATIENCE, () -> paid().equals("1"));
    }
  }

  @Test
  void a_commit_prepared_on_the_server_is_on_the_wire_only_by_name() throws Exception {
    try (Connection connection = connect("")) {
      for (int i = 0; i < 10; i++) {
        Sql.execute(connection, "INSERT INTO paid VALUES (1)");
        connection.commit();
      }
      Cut cut = proxy.cutBeforeReply(COMMIT);
      Sql.execute(connection, "INSERT INTO paid VALUES (1)");

      connection.commit();

      assertThat(cut.hasFired()).isFalse();
    }
  }

  private Connection connect(String parameters) throws SQLException {
    Connection connection =
        DriverManager.getConnection(EmbeddedPostgres.jdbcUrl(proxy.port(), database) + parameters);
    connection.setAutoCommit(false);
    return connection;
  }

  private String paid() {
    try {
      return Sql.value(direct, "SELECT count(*) FROM paid");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
