package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.store.ErrorMeaning;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A store says what the errors of its database mean, and its rules clean their texts. */
public abstract class DatabaseErrorContract extends Contract {
  private static final String PERSON = "anna of house 7";

  private void assertMeaning(SQLException error, ErrorMeaning meaning) {
    assertThat(store().meaningOf(error)).isEqualTo(meaning);
    assertThat(db().inbox().meaningOf(error)).isEqualTo(meaning);
  }

  private static SQLException failure(Connection tx, String... statements) {
    Throwable thrown =
        catchThrowable(
            () -> {
              try (Statement statement = tx.createStatement()) {
                for (String sql : statements) {
                  statement.execute(sql);
                }
              }
            });
    assertThat(thrown).isInstanceOf(SQLException.class);
    return (SQLException) thrown;
  }

  @Test
  void a_lost_connection_is_recognised() {
    assertMeaning(new SQLException("connection lost", "08006"), ErrorMeaning.CONNECTION_LOST);
    assertMeaning(new SQLException("no connection", "08001"), ErrorMeaning.CONNECTION_LOST);
  }

  @Test
  void a_deadlock_is_a_conflict() {
    UUID one = UUID.randomUUID();
    UUID two = UUID.randomUUID();
    try (OpenTransaction first = begin();
        OpenTransaction second = begin()) {
      store().note(first.connection(), one);
      store().note(second.connection(), two);
      Background waiting = Background.run(() -> store().note(first.connection(), two));
      waiting.awaitWaiting(db());
      Throwable ofSecond = catchThrowable(() -> store().note(second.connection(), one));
      Throwable ofFirst = catchThrowable(waiting::join);
      assertThat(Stream.of(ofFirst, ofSecond).filter(Objects::nonNull))
          .singleElement()
          .isInstanceOfSatisfying(
              PosthornException.class,
              e ->
                  assertThat(e.getCause())
                      .isInstanceOfSatisfying(
                          SQLException.class, sql -> assertMeaning(sql, ErrorMeaning.CONFLICT)));
    }
  }

  @Test
  void a_value_that_violates_a_constraint_is_refused_and_its_text_is_sanitised() {
    try (OpenTransaction tx = begin()) {
      String add = "INSERT INTO contract_customer (name) VALUES ('%s')".formatted(PERSON);
      SQLException refused =
          failure(
              tx.connection(),
              "CREATE TEMPORARY TABLE contract_customer (name VARCHAR(60) PRIMARY KEY)",
              add,
              add);
      assertMeaning(refused, ErrorMeaning.REFUSED);
      assertThat(Sanitiser.text(refused)).contains("***").doesNotContain("anna", "house");
    }
  }

  @Test
  void a_value_that_cannot_be_read_is_not_in_the_sanitised_text() {
    try (OpenTransaction tx = begin()) {
      SQLException refused =
          failure(tx.connection(), "SELECT CAST('%s' AS DATE)".formatted(PERSON));
      assertThat(Sanitiser.text(refused)).contains("***").doesNotContain("anna", "house");
    }
  }

  @Test
  void an_error_without_a_code_or_for_invalid_sql_has_no_known_meaning() {
    assertMeaning(new SQLException("no code"), ErrorMeaning.UNKNOWN);
    try (OpenTransaction tx = begin()) {
      assertMeaning(failure(tx.connection(), "SELEKT 1"), ErrorMeaning.UNKNOWN);
    }
  }
}
