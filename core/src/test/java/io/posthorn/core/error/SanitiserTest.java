package io.posthorn.core.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SanitiserTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          amqp://user:s3cr3t@host:5672/v             | amqp://***@host:5672/v
          https://user:p@s3cr3t@host/x               | https://***@host/x
          jdbc:postgresql://h/db?password=s3cr3t&a=b | jdbc:postgresql://h/db?password=***&a=b
          /pay?access_token=s3cr3t failed            | /pay?access_token=*** failed
          ssl.truststore.password = s3cr3t           | ssl.truststore.password = ***
          username="u" password="s3 cr;3t";          | username="u" password=***;
          {"clientSecret": "s3cr3t", "a": 1}         | {"clientSecret": ***, "a": 1}
          Authorization: Bearer s3cr3t               | Authorization: ***
          X-Api-Key: s3cr3t                          | X-Api-Key: ***
          key whsec_czNjcjN0 is wrong                | key *** is wrong
          Key (email)=(s3cr3t) already exists        | Key (email)=(***) already exists
          Failing row contains (1, s3cr3t (x)).      | Failing row contains (***).
          the destination has no address             | the destination has no address
          """)
  void credentials_and_row_contents_are_removed(String text, String cleaned) {
    assertThat(Sanitiser.clean(text)).isEqualTo(cleaned);
  }

  @Test
  void what_postgresql_says_of_values_it_cannot_read_is_removed() {
    String said =
        """
        ERROR: invalid input syntax for type json
          Detail: Token "s3cr3t" is invalid.
          Where: JSON data, line 1: s3cr3t""";
    assertThat(Sanitiser.clean(said)).contains("Token *** is invalid").doesNotContain("s3cr3t");
    assertThat(Sanitiser.clean("invalid input syntax for type uuid: \"s3cr3t\""))
        .doesNotContain("s3cr3t");
  }

  @Test
  void causes_and_what_they_suppress_are_cleaned_and_keep_their_stack_traces() {
    Throwable cause = new IllegalStateException("token=s3cr3t");
    cause.addSuppressed(new IllegalArgumentException("http://u:s3cr3t@h"));
    Throwable cleaned = Sanitiser.clean(new RuntimeException("password=s3cr3t", cause));
    StringWriter text = new StringWriter();
    cleaned.printStackTrace(new PrintWriter(text, true));
    assertThat(text.toString())
        .doesNotContain("s3cr3t")
        .startsWith("java.lang.RuntimeException: password=***")
        .contains("Caused by: java.lang.IllegalStateException: token=***")
        .contains("Suppressed: java.lang.IllegalArgumentException: http://***@h")
        .contains("at " + SanitiserTest.class.getName());
  }

  @Test
  void what_does_not_tell_its_message_is_known_by_its_class() {
    class Mute extends RuntimeException {
      private static final long serialVersionUID = 1L;

      @Override
      public String getMessage() {
        throw new IllegalStateException("there is no message");
      }
    }
    assertThat(Sanitiser.text(new Mute())).isEqualTo("Mute");
    assertThat(Sanitiser.clean(new Mute())).hasMessageEndingWith("Mute");
  }

  @Test
  @Timeout(10)
  void long_texts_take_no_long_time() {
    String words = "a".repeat(1 << 20);
    long start = System.nanoTime();
    assertThat(Sanitiser.clean(words + "://" + words + " password" + words)).isNotEmpty();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
  }

  @Test
  void a_header_whose_name_says_that_it_is_a_secret_is_not_shown() {
    assertThat(Sanitiser.header("x-api-token", "s3 cr3t")).isEqualTo("***");
    assertThat(Sanitiser.header("tenant", "blue")).isEqualTo("blue");
  }
}
