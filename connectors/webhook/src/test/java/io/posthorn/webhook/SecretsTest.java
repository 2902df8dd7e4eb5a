package io.posthorn.webhook;

import static org.assertj.core.api.Assertions.assertThat;

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
  void without_secrets_nothing_is_removed() {
    Secrets secrets = Secrets.of("https://example.org");
    assertThat(secrets.without("no such thing")).isEqualTo("no such thing");
  }
}
