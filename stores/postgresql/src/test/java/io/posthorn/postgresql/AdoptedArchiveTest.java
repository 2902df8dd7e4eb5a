package io.posthorn.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.audit.By;
import io.posthorn.core.restore.Adopt;
import io.posthorn.core.restore.Restore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How far an archive has come is noted as transactions, which mean nothing on another server. */
class AdoptedArchiveTest {
  private static final String NOTED =
      """
      INSERT INTO posthorn_archived (archive, leaf, s1)
      VALUES ('files', '', '1:1:'), ('files', 'posthorn_log_03', '900000000:900000000:')
      """;

  @Test
  void what_an_archive_has_of_each_leaf_is_forgotten_and_that_it_is_in_use_is_not()
      throws SQLException {
    try (PostgresqlDatabase database = TestServer.newest().database();
        Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(NOTED);
      Restore.on(database.operator())
          .adopt("production", Adopt.AS_UNDELIVERED, new By("anna", "restored"));
      List<String> leaves = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery("SELECT leaf FROM posthorn_archived")) {
        while (rows.next()) {
          leaves.add(rows.getString(1));
        }
      }
      assertThat(leaves).containsExactly("");
    }
  }
}
