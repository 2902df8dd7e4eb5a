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

/** Runs the tasks of plain Java; the first test is the one that the page shows. */
class PosthornTasksTest {
  private final PosthornTasks tasks = new PosthornTasks();
  private final Mails mails = new Mails();

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
