package io.posthorn.core.connector;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
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

  private static String code(Throwable thrown) {
    return ((Outcome.Failed) Classifier.DEFAULT.classify(thrown)).reason().code();
  }
}
