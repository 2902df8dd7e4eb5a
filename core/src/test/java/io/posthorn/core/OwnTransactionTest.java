package io.posthorn.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class OwnTransactionTest {
  private final List<String> calls = new ArrayList<>();
  private final DataSource broken = proxy(DataSource.class, connection());

  /** A connection whose auto-commit cannot be switched on again. */
  private Connection connection() {
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> {
              calls.add(method.getName());
              if (method.getName().equals("setAutoCommit") && args[0].equals(true)) {
                throw new SQLException("the connection is closed");
              }
              return switch (method.getName()) {
                case "getAutoCommit" -> true;
                case "isClosed" -> false;
                default -> null;
              };
            });
  }

  private static <T> T proxy(Class<T> type, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> answer));
  }

  @Test
  void a_committed_transaction_succeeds_although_its_connection_cannot_be_restored()
      throws Exception {
    String result = OwnTransaction.call(broken, tx -> "done");
    assertThat(result).isEqualTo("done");
    assertThat(calls).contains("commit");
  }

  @Test
  void a_failure_is_thrown_as_it_was_although_the_connection_cannot_be_restored() {
    assertThatThrownBy(
            () ->
                OwnTransaction.call(
                    broken,
                    tx -> {
                      throw new IllegalStateException("out of stock");
                    }))
        .hasMessage("out of stock");
    assertThat(calls).contains("rollback").doesNotContain("commit");
  }
}
