package io.posthorn.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Statements are rewritten for the names of the tables once, and remembered. */
class TableNamesTest {
  private static Sql statement() {
    return Sql.of("look", "SELECT 1 FROM posthorn_log WHERE seq = :seq");
  }

  @Test
  void a_statement_that_is_made_again_and_again_is_remembered_once() {
    TableNames names = new TableNames("messaging", "x_");
    String first = names.in(statement());
    assertThat(first).contains("messaging.x_log");
    assertThat(names.in(statement())).isSameAs(first);
    assertThat(names.in(Sql.of("look", "SELECT 2 FROM posthorn_log"))).isNotEqualTo(first);
  }
}
