package io.posthorn.core.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
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
  void anything_else_is_unknown_and_retried() {
    assertThat(code(new IllegalStateException("?"))).isEqualTo(Reason.UNKNOWN);
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
            "POST https://joe:s3cret@host/x failed, Authorization: Bearer abc.def, password=hunter2, Key (email)=(me@example.org) exists");
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
          assertThat(code(first)).isEqualTo(Reason.UNKNOWN);
          assertThat(mine.classify(first)).isInstanceOf(Outcome.Rejected.class);
          assertThat(mine.when(TimeoutException.class, e -> Outcome.SENT).classify(first))
              .isInstanceOf(Outcome.Rejected.class);
        });
  }

  @Test
  void what_does_not_tell_its_message_is_unknown_and_known_by_its_class() {
    Reason reason = Classifier.DEFAULT.classify(new Mute()).reason();
    assertThat(reason.code()).isEqualTo(Reason.UNKNOWN);
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
