package io.posthorn.core.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.ErrorMeaning;
import io.posthorn.core.store.OutboxStore;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransactionsTest {
  private static final UUID ID = UUID.randomUUID();

  private int tries;

  /** Says of every error that it means this; an id is noted once in each transaction. */
  private final class Store implements OutboxStore {
    private final ErrorMeaning meaning;
    private int noted;

    Store(ErrorMeaning meaning) {
      this.meaning = meaning;
    }

    @Override
    public void append(Connection tx, List<Message> messages, List<String> keys, boolean ordered) {}

    @Override
    public boolean note(Connection tx, UUID id) {
      boolean first = noted < tries;
      noted = tries;
      return first;
    }

    @Override
    public ErrorMeaning meaningOf(SQLException error) {
      return meaning;
    }
  }

  private DataSource dataSource() {
    Connection connection =
        (Connection)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, args) ->
                    switch (method.getName()) {
                      case "getAutoCommit", "isValid" -> true;
                      case "isClosed" -> false;
                      default -> null;
                    });
    return (DataSource)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, args) -> {
              tries++;
              return connection;
            });
  }

  private boolean failingOnce(ErrorMeaning meaning) {
    return Transactions.on(new Store(meaning))
        .retrying(
            dataSource(),
            ID,
            tx -> {
              if (tries == 1) {
                throw new SQLException("once", "12345");
              }
            });
  }

  @ParameterizedTest
  @EnumSource(names = {"CONNECTION_LOST", "CONFLICT"})
  void a_transaction_is_tried_again_where_another_try_may_succeed_at_once(ErrorMeaning meaning) {
    assertThat(failingOnce(meaning)).isTrue();
    assertThat(tries).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"CONNECTION_LOST", "CONFLICT"})
  void a_transaction_is_not_tried_again_otherwise(ErrorMeaning meaning) {
    assertThatThrownBy(() -> failingOnce(meaning))
        .hasMessageContaining("POSTHORN-018")
        .hasMessageContaining(ID.toString())
        .hasMessageContaining("SQLSTATE 12345");
    assertThat(tries).isEqualTo(1);
  }
}
