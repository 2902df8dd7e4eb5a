package io.posthorn.postgresql;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageState;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.story.MessageQuery;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.testkit.TestMessages;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The operator's grants are sufficient to see everything, with any names of the tables. */
class OperatorSightTest {
  private final PostgresqlDatabase database =
      TestServer.newest().database(new Tables("granted", "po_"));
  private final String role = "operator_" + database.name();
  private DataSource operator;

  @BeforeEach
  void grant() {
    database.execute("DROP ROLE IF EXISTS " + role);
    database.execute("CREATE ROLE " + role + " LOGIN");
    database.execute(new Grants(database.tables()).operator(role));
    operator = database.as(role);
  }

  @AfterEach
  void close() {
    database.execute("DROP OWNED BY " + role);
    database.execute("DROP ROLE " + role);
    database.close();
  }

  @Test
  void an_operator_finds_messages_with_java_and_with_psql() throws SQLException {
    database
        .store()
        .register(
            "tests", List.of(new ServedDestination("mail", Set.of(ServedDestination.ALL_TYPES))));
    Message message = keyed("k", "1");
    try (Connection tx = database.dataSource().getConnection()) {
      tx.setAutoCommit(false);
      database.store().append(tx, List.of(message), List.of(""), false);
      tx.commit();
    }
    OperatorStore store = PostgresqlStore.on(operator, database.tables());
    assertThat(store.find(message.id())).isPresent();
    assertThat(store.messages(MessageQuery.of(TestMessages.key("k")), null, 10).messages())
        .hasSize(1);
    assertThat(store.status().destinations()).isNotEmpty();
    assertThat(text("SELECT state FROM posthorn_message_state WHERE key = 'k'"))
        .isEqualTo(MessageState.PENDING.name());
    assertThat(text("SELECT pending FROM posthorn_destination_status WHERE destination = 'mail'"))
        .isEqualTo("1");
    assertThat(text("SELECT count(*) FROM posthorn_dead_letter")).isEqualTo("0");
  }

  private String text(String sql) throws SQLException {
    try (Connection connection = operator.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(database.names().in(sql))) {
      assertThat(row.next()).isTrue();
      return row.getString(1);
    }
  }
}
