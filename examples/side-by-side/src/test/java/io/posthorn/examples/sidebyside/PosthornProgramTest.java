package io.posthorn.examples.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.Posthorn;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.examples.sidebyside.PosthornTasks.UserRegistered;
import io.posthorn.test.PosthornTest;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs the other tasks of plain Java as the page shows them. */
class PosthornProgramTest {
  @RegisterExtension
  static final PosthornTest outbox = PosthornTest.embedded().environment("production");

  private final PosthornTasks tasks = new PosthornTasks();
  private final Mails mails = new Mails();

  @BeforeEach
  void create_the_application_s_own_table() throws SQLException {
    try (var connection = outbox.dataSource().getConnection();
        var statement = connection.createStatement()) {
      statement.execute("CREATE TABLE IF NOT EXISTS app_user (email text PRIMARY KEY)");
      statement.execute("DELETE FROM app_user");
    }
  }

  @Test
  void the_program_of_the_page_delivers_after_a_failure() throws SQLException {
    mails.failures.set(1);
    try (Posthorn posthorn = tasks.start(outbox.dataSource(), mails)) {
      tasks.register(posthorn, "bob@example.org");
      await().untilAsserted(() -> assertThat(mails.sent).containsExactly("bob@example.org"));
    }
  }

  @Test
  void dead_letters_are_requeued() throws SQLException {
    mails.failures.set(1);
    try (Posthorn posthorn =
        Posthorn.on(outbox.dataSource())
            .environment("production")
            .consumer(
                "mail",
                mail ->
                    mail.retry(RetryPolicy.DEFAULT.attempts(1))
                        .on(UserRegistered.class, (user, call) -> mails.welcome(user.email())))
            .start()) {
      tasks.register(posthorn, "eve@example.org");
      await()
          .untilAsserted(
              () ->
                  assertThat(posthorn.deadLetters().count(DeadLetterQuery.waiting())).isEqualTo(1));
      tasks.requeue(posthorn);
      await().untilAsserted(() -> assertThat(mails.sent).containsExactly("eve@example.org"));
    }
  }
}
