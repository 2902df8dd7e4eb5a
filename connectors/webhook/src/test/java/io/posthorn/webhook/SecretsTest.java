package io.posthorn.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import org.junit.jupiter.api.Test;

class SecretsTest {
  @Test
  void what_a_receiver_repeats_of_the_address_or_the_credentials_is_removed() {
    Secrets secrets =
        Secrets.of("https://example.org/hooks/T0-abcdefghijkl/{type}?key=pa%2Fss&v=1");
    secrets.authorization("Bearer tok-123");
    assertThat(
            secrets.without(
                "cannot POST /hooks/T0-abcdefghijkl/OrderPlaced?key=pa%2Fss&v=1 (pa/ss) for tok-123"))
        .isEqualTo("cannot POST /hooks/***/OrderPlaced?key=***&v=1 (***) for ***");
  }

  @Test
  void what_stands_around_a_value_of_the_message_is_removed_too() {
    Secrets secrets = Secrets.of("https://example.org/in-s3cr3t-s3cr3t-{type}?key=k-{key}-s3cr3t");
    assertThat(secrets.without("/in-s3cr3t-s3cr3t-OrderPlaced?key=k-7-s3cr3t"))
        .isEqualTo("/***OrderPlaced?key=k-7***");
  }

  @Test
  void a_reason_of_the_client_s_own_is_cleaned_too() {
    Secrets secrets = Secrets.of("https://example.org/in-s3cr3t-s3cr3t");
    Outcome told = Outcome.unavailable(Reason.of("X", "cannot parse </in-s3cr3t-s3cr3t>"));
    assertThat(secrets.without(told))
        .isEqualTo(Outcome.unavailable(Reason.of("X", "cannot parse </***>")));
  }

  @Test
  void without_secrets_nothing_is_removed() {
    Secrets secrets = Secrets.of("https://example.org");
    assertThat(secrets.without("no such thing")).isEqualTo("no such thing");
  }

  @Test
  void whose_fault_it_is_stays_known() {
    Secrets secrets = Secrets.of("https://example.org/in-s3cr3t-s3cr3t");
    Outcome.Failed failed =
        (Outcome.Failed)
            secrets.without(Outcome.failedByMessage(Reason.of("HTTP_409", "in-s3cr3t-s3cr3t")));
    assertThat(failed.byMessage()).isTrue();
    assertThat(failed.reason().text()).doesNotContain("s3cr3t");
  }
}
