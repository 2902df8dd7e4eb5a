package io.posthorn.examples.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.Posthorn;
import io.posthorn.examples.sidebyside.PosthornTasks.UserRegistered;
import io.posthorn.test.PosthornTest;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The test that the page shows. */
class PosthornTasksTest {
  private final PosthornTasks tasks = new PosthornTasks();

  // task:test
  @RegisterExtension
  static final PosthornTest outbox = PosthornTest.embedded().deliversTo("mail", "UserRegistered");

  @Test
  void a_mail_that_fails_is_sent_at_the_second_attempt() throws SQLException {
    outbox.destination("mail").failsNext(1);
    register("ada@example.org");

    outbox.deliverAll();
    outbox.retryAll().withoutProblems();

    assertThat(outbox.outbox()).holdsOne(UserRegistered.class).isSentTo("mail");
  }

  // task:end

  private void register(String email) throws SQLException {
    try (Posthorn posthorn = Posthorn.on(outbox.dataSource()).start()) {
      tasks.register(posthorn, email);
    }
  }

  @BeforeEach
  void create_the_application_s_own_table() throws SQLException {
    try (var connection = outbox.dataSource().getConnection();
        var statement = connection.createStatement()) {
      statement.execute("CREATE TABLE IF NOT EXISTS app_user (email text PRIMARY KEY)");
      statement.execute("DELETE FROM app_user");
    }
  }
}
