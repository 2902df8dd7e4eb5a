package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class StandbyTest {
  @Test
  void a_standby_follows_its_primary_and_takes_over_when_promoted() throws Exception {
    try (EmbeddedPostgres primary = EmbeddedPostgres.builder().start();
        EmbeddedPostgres standby = primary.standby()) {
      Sql.execute(primary.dataSource(), "CREATE TABLE followed (id int)");
      Sql.execute(primary.dataSource(), "INSERT INTO followed VALUES (1)");
      standby.awaitReplayOf(primary);
      assertThat(count(standby)).isEqualTo("1");
      assertThatThrownBy(() -> Sql.execute(standby.dataSource(), "INSERT INTO followed VALUES (2)"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("read-only");

      primary.kill();
      standby.promote();

      Sql.execute(standby.dataSource(), "INSERT INTO followed VALUES (3)");
      assertThat(count(standby)).isEqualTo("2");
    }
  }

  @Test
  void a_standby_that_was_stopped_in_time_does_not_have_the_last_commits() throws Exception {
    try (EmbeddedPostgres primary = EmbeddedPostgres.builder().start();
        EmbeddedPostgres standby = primary.standby()) {
      Sql.execute(primary.dataSource(), "CREATE TABLE followed (id int)");
      standby.awaitReplayOf(primary);

      standby.stop();
      Sql.execute(primary.dataSource(), "INSERT INTO followed VALUES (1)");
      primary.kill();
      standby.start();
      standby.promote();

      assertThat(count(standby)).isEqualTo("0");
    }
  }

  private static String count(EmbeddedPostgres postgres) throws SQLException {
    return Sql.value(postgres.dataSource(), "SELECT count(*) FROM followed");
  }
}
