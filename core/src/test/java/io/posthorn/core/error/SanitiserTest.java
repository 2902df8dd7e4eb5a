package io.posthorn.core.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
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
          Duplicate entry 's3cr3t' for key 'b'       | Duplicate entry *** for key 'b'
          SQL [delete from t where a = 's3cr3t']     | SQL [delete from t where a = ***]
          the destination has no address             | the destination has no address
          """)
  void credentials_and_row_contents_are_removed(String text, String cleaned) {
    assertThat(Sanitiser.clean(text)).isEqualTo(cleaned);
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

  @Test
  void of_a_text_that_a_rule_fails_at_nothing_is_kept() {
    Rule broken =
        text -> {
          throw new IllegalStateException("a rule of a store has a fault");
        };
    assertThat(Sanitiser.apply(List.of(broken), "name=anna")).isEqualTo(Rule.REMOVED);
  }

  @Test
  void rules_of_a_store_apply_with_its_headings_and_are_added_once() {
    Rules rules = new Rules();
    assertThat(Sanitiser.clean("found <anna>\n  Note: anna")).contains("<anna>");
    Sanitiser.add(rules);
    Sanitiser.add(new Rules());
    assertThat(Sanitiser.clean("found <anna>\n  Note: none")).isEqualTo("found <***\n  Note: none");
    assertThat(ActiveRules.all()).containsOnlyOnce(rules.rules().get(0));
    assertThat(ActiveRules.headings()).containsOnlyOnce("Note: ");
    assertThat(Sanitiser.text(new SQLException("field (name)=<***> is (anna)", "23505")))
        .isEqualTo("field (name)=<***> is (***)");
  }

  private static final class Rules implements SanitiserRules {
    private static final Rule FOUND = BetweenRule.of("found <", ValueEnds::section);

    @Override
    public List<Rule> rules() {
      return List.of(FOUND);
    }

    @Override
    public List<String> headings() {
      return List.of("Note: ");
    }

    @Override
    public List<String> kept() {
      return List.of("\\bfield \\([a-z]{1,20}+\\)=<\\*\\*\\*>");
    }
  }
}
