package io.posthorn.core.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.NotSerializableException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.MalformedInputException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.zip.ZipException;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;

class ClassifierTest {
  @Test
  void what_a_handler_rejects_is_permanent_with_its_own_reason_code() {
    Outcome outcome =
        Classifier.DEFAULT.classify(
            new RuntimeException(new RejectedException("ORDER_CANCELLED", "too late")));
    assertThat(outcome).isEqualTo(Outcome.rejected(Reason.of("ORDER_CANCELLED", "too late")));
  }

  @Test
  void network_errors_and_timeouts_are_transient() {
    assertThat(code(new IOException(new ConnectException("refused"))))
        .isEqualTo(Reason.TRANSIENT_NETWORK);
    assertThat(code(new TimeoutException())).isEqualTo(Reason.TIMEOUT);
  }

  @Test
  void what_a_client_throws_while_its_receiver_is_away_need_not_be_the_message_s_fault() {
    assertThat(
            List.of(
                new IOException("HTTP/1.1 header parser received no bytes"),
                new UncheckedIOException(new ClosedChannelException()),
                new SSLException("closed"),
                new SQLRecoverableException("closed"),
                new SQLTransientConnectionException("no connection"),
                new SQLException("refused", "08001")))
        .allMatch(thrown -> code(thrown).equals(Reason.TRANSIENT_NETWORK))
        .noneMatch(ClassifierTest::byMessage);
    assertThat(
            List.of(
                new HttpTimeoutException("request timed out"),
                new HttpConnectTimeoutException("no route"),
                new InterruptedIOException("timeout"),
                new SQLTimeoutException("too slow")))
        .allMatch(thrown -> code(thrown).equals(Reason.TIMEOUT))
        .noneMatch(ClassifierTest::byMessage);
  }

  @Test
  void what_a_store_says_of_its_codes_is_added_once() {
    assertThat(byMessage(new SQLException("busy", "X1001"))).isTrue();
    Classifier.add(new States());
    Classifier.add(new States());
    assertThat(code(new SQLException("busy", "X1001"))).isEqualTo(Reason.TRANSIENT_NETWORK);
    assertThat(code(new SQLException("too slow", "X2001"))).isEqualTo(Reason.TIMEOUT);
    assertThat(byMessage(new SQLException("busy", "X1001"))).isFalse();
    assertThat(byMessage(new SQLException("no state"))).isTrue();
  }

  private static final class States implements SqlStates {
    @Override
    public boolean isTimeout(String state) {
      return state.equals("X2001");
    }

    @Override
    public boolean isAway(String state) {
      return state.startsWith("X1");
    }
  }

  @Test
  void what_says_that_data_are_wrong_is_the_message_s_fault() {
    assertThat(
            List.of(
                new MalformedInputException(1),
                new ZipException("not in GZIP format"),
                new NotSerializableException("Order"),
                new SQLException("duplicate key", "23505"),
                new SQLException("no such table", "42P01"),
                new IllegalStateException("?")))
        .allMatch(ClassifierTest::byMessage);
  }

  private static boolean byMessage(Throwable thrown) {
    return ((Outcome.Failed) Classifier.DEFAULT.classify(thrown)).byMessage();
  }

  @Test
  void the_reason_of_anything_else_is_the_name_of_its_class_and_it_is_retried() {
    assertThat(code(new IllegalStateException("?"))).isEqualTo("IllegalStateException");
    assertThat(code(new IllegalStateException("?") {})).isEqualTo("IllegalStateException");
    assertThat(code(new ExecutionException("a task failed", new Mute()))).isEqualTo("Mute");
    assertThat(code(new ExecutionException(null))).isEqualTo("ExecutionException");
  }

  @Test
  void exceptions_that_are_never_retried_are_rejected_whatever_other_rules_say() {
    Classifier mine =
        Classifier.DEFAULT
            .when(IOException.class, e -> Outcome.unavailable(Reason.of("DOWN", "later")))
            .rejecting(List.of(FileNotFoundException.class));

    Outcome outcome =
        mine.classify(new IllegalStateException(new FileNotFoundException("order 42")));
    assertThat(outcome).isInstanceOf(Outcome.Rejected.class);
    assertThat(outcome.reason().code()).isEqualTo("FileNotFoundException");
    assertThat(outcome.reason().text()).contains("order 42");
    assertThat(mine.classify(new IOException())).isInstanceOf(Outcome.Unavailable.class);
  }

  @Test
  void a_rule_of_the_user_comes_first() {
    Classifier mine =
        Classifier.DEFAULT.when(
            ConnectException.class, e -> Outcome.unavailable(Reason.of("GATE_CLOSED", "later")));
    assertThat(mine.classify(new IOException(new ConnectException())))
        .isInstanceOf(Outcome.Unavailable.class);
    assertThat(mine.classify(new IllegalStateException())).isInstanceOf(Outcome.Failed.class);
  }

  @Test
  void credentials_and_row_contents_are_not_kept() {
    Reason reason =
        Reason.of(
            "X",
            "POST https://joe:s3cret@host/x failed, Authorization: Bearer abc.def, "
                + "password=hunter2, Key (email)=(me@example.org) exists");
    assertThat(reason.text())
        .doesNotContain("s3cret", "abc.def", "hunter2", "me@example.org")
        .contains("https://***@host/x");
  }

  @Test
  void texts_are_cut_to_a_bound() {
    assertThat(Reason.of("X", "y".repeat(10_000)).text()).hasSizeLessThan(2_001);
  }

  @Test
  void causes_that_form_a_circle_are_looked_at_once() {
    Exception first = new Exception("first");
    Exception second = new IllegalStateException("second", first);
    first.initCause(second);
    Classifier mine =
        Classifier.DEFAULT.when(
            IllegalStateException.class, e -> Outcome.rejected(Reason.of("MINE", "found")));
    assertTimeoutPreemptively(
        Duration.ofSeconds(10),
        () -> {
          assertThat(code(first)).isEqualTo("Exception");
          assertThat(mine.classify(first)).isInstanceOf(Outcome.Rejected.class);
          assertThat(mine.when(TimeoutException.class, e -> Outcome.SENT).classify(first))
              .isInstanceOf(Outcome.Rejected.class);
        });
  }

  @Test
  void what_does_not_tell_its_message_is_known_by_its_class() {
    Reason reason = Classifier.DEFAULT.classify(new Mute()).reason();
    assertThat(reason.code()).isEqualTo("Mute");
    assertThat(reason.text()).isEqualTo("Mute");
    Reason wrapped = Classifier.DEFAULT.classify(new IOException("broken", new Mute())).reason();
    assertThat(wrapped.text()).isEqualTo("IOException: broken");
    assertThat(wrapped.stack()).contains("at " + ClassifierTest.class.getName());
  }

  /** It has lost what its message is made of. */
  private static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("there is no message");
    }
  }

  private static String code(Throwable thrown) {
    return ((Outcome.Failed) Classifier.DEFAULT.classify(thrown)).reason().code();
  }
}
