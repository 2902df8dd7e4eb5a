package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.delivering.OnlyDelivering;
import io.posthorn.records.OnlyRecords;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** Types that are routed to a destination, but that nobody registers. */
@ExtendWith(OutputCaptureExtension.class)
class UnregisteredTypesTest {
  @Configuration
  @EnableAutoConfiguration
  static class Shop {}

  private static final String[] MISSPELT = {
    "posthorn.relay.enabled=false",
    "posthorn.destinations.mail.types=Noetd,OrderChanged",
    "posthorn.destinations.mail.webhook.url=https://example.org/hooks",
    "posthorn.destinations.all.types=*",
    "posthorn.destinations.all.webhook.url=https://example.org/hooks"
  };

  @Test
  void a_misspelt_type_of_a_destination_is_a_warning_at_the_start(CapturedOutput output) {
    try (App app = App.start(Shop.class, MISSPELT)) {
      assertThat(output)
          .containsOnlyOnce("has not registered")
          .contains(
              "WARN",
              "Destination 'mail' wants messages of type 'Noetd', which this application has not registered; did you mean 'Noted'?",
              "posthorn destinations rewind mail --to TIME --why TEXT");
      assertThat(app.outbox()).isNotNull();
    }
  }

  @Test
  void records_with_a_key_are_known_before_they_are_first_added(CapturedOutput output) {
    try (App app =
        App.start(
            OnlyRecords.class,
            "posthorn.relay.enabled=false",
            "posthorn.types=",
            "posthorn.destinations.mail.types=OrderPlaced,OrderPlcaed",
            "posthorn.destinations.mail.webhook.url=https://example.org/hooks")) {
      assertThat(app.outbox()).isNotNull();
      assertThat(output)
          .containsOnlyOnce("has not registered")
          .contains("of type 'OrderPlcaed'", "; did you mean 'OrderPlaced'?");
    }
  }

  @Test
  void an_application_that_only_delivers_gets_no_warning(CapturedOutput output) {
    String[] none = Arrays.copyOf(MISSPELT, MISSPELT.length + 1);
    none[MISSPELT.length] = "posthorn.types=";
    try (App app = App.start(OnlyDelivering.class, none)) {
      assertThat(app.outbox()).isNotNull();
      assertThat(output).doesNotContain("has not registered");
    }
  }
}
