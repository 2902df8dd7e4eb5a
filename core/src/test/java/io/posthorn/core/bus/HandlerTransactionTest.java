package io.posthorn.core.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.posthorn.core.store.ErrorMeaning;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HandlerTransactionTest {
  private static SQLException error() {
    return new SQLException("a code that only the store knows");
  }

  /** A connection that lives; every commit fails. */
  private static Object answer(String method) throws SQLException {
    return switch (method) {
      case "commit" -> throw error();
      case "isValid", "getAutoCommit" -> true;
      case "isClosed" -> false;
      default -> null;
    };
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> call.answer(method.getName())));
  }

  private interface Call {
    Object answer(String method) throws SQLException;
  }

  private static TransactionFailure.Kind kind(
      ErrorMeaning meaning, HandlerTransaction.Work<String> work) {
    Connection connection = proxy(Connection.class, HandlerTransactionTest::answer);
    DataSource dataSource = proxy(DataSource.class, method -> connection);
    HandlerTransaction transaction = new HandlerTransaction(dataSource, error -> meaning, null);
    return catchThrowableOfType(TransactionFailure.class, () -> transaction.run(work)).kind();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          meaning         | a handler threw | a receipt failed | the commit failed
          CONFLICT        | CONFLICT        | CONFLICT         | CONFLICT
          LOCK_TIMEOUT    | CONFLICT        | CONFLICT         | CONFLICT
          REFUSED         | HANDLER         | HANDLER          | HANDLER
          UNKNOWN         | HANDLER         | DATABASE         | HANDLER
          UNAVAILABLE     | HANDLER         | DATABASE         | DATABASE
          CONNECTION_LOST | HANDLER         | DATABASE         | DATABASE
          """,
      useHeadersInDisplayName = true)
  void fault_follows_from_what_the_store_says_and_how_far_the_transaction_got(
      ErrorMeaning meaning,
      TransactionFailure.Kind handlerThrew,
      TransactionFailure.Kind receiptFailed,
      TransactionFailure.Kind commitFailed) {
    assertThat(
            kind(
                meaning,
                tx -> {
                  throw new HandlerTransaction.HandlerThrew(0, new IllegalStateException(error()));
                }))
        .isEqualTo(handlerThrew);
    assertThat(
            kind(
                meaning,
                tx -> {
                  throw error();
                }))
        .isEqualTo(receiptFailed);
    assertThat(kind(meaning, tx -> "done")).isEqualTo(commitFailed);
  }
}
