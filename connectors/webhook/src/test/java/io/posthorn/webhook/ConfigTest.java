package io.posthorn.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.PosthornException;
import io.posthorn.envelope.EnvelopeFormat;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigTest {
  @Test
  void all_problems_are_reported_at_once() {
    assertThatThrownBy(
            () ->
                WebhookConfig.to("http://shop.example/{kee}", EnvelopeFormat.PLAIN)
                    .timeout(Duration.ZERO)
                    .maxConnections(0)
                    .allowNetworks("intranet", "10.0.0.0/33")
                    .build())
        .isInstanceOf(PosthornException.class)
        .hasMessageContainingAll(
            "{kee} is not known",
            "only https",
            "timeout",
            "maxConnections",
            "'intranet'",
            "'10.0.0.0/33'",
            "the signing key is missing");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "shop",
        "/hooks",
        "ftp://shop.example/",
        "https://",
        "https://{key}.example/",
        "https://shop.{key}/",
        "https://user:pass@shop.example/",
        "https://shop.example/#a",
        "https://shop.example/{key",
        "https://shop.example:{key}/"
      })
  void an_invalid_address_is_refused(String url) {
    assertThatThrownBy(() -> WebhookConfig.to(url, EnvelopeFormat.PLAIN).unsigned().build())
        .isInstanceOf(PosthornException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://shop.example", "https://shop.example/hooks/{type}?key={key}",
        "https://shop.example?x={header.tenant}", "https://[2606:4700::1]:8443/hooks"
      })
  void an_address_with_templates_in_path_and_query_is_accepted(String url) {
    assertThat(WebhookConfig.to(url, EnvelopeFormat.PLAIN).unsigned().build().url().template())
        .isEqualTo(url);
  }
}
