package io.posthorn.core.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever others write, cleaning four times as much takes no more than four times the work. */
class SanitiserWorkTest {
  private static final int LENGTH = 2_000;

  /** Beginnings without an end, ends without a beginning, and what else leads a search astray. */
  static List<String> texts() {
    List<String> texts =
        new ArrayList<>(
            List.of(
                "a",
                "a ",
                "a.",
                "a-",
                "@",
                "a@",
                "a@b",
                "a@b.",
                "/",
                "://",
                "http://",
                "http://a:b/",
                "https://a?",
                "/aB3",
                "\\",
                "\"",
                "'",
                "''",
                "(",
                ")",
                "[",
                "\n",
                "\n\t",
                "\n  Detail: ",
                ": \"",
                "Bearer ",
                "Bearer a",
                "eyJ",
                "eyJ-",
                "whsec_",
                "AKIA",
                "xoxb-",
                "token",
                "token=",
                "token=\"",
                "token='\\",
                "token:\\\"",
                "token=[",
                "Cookie: ",
                "Cookie: \"",
                "-----BEGIN KEY-----",
                "-----BEGIN ",
                "Batch entry 1 ",
                " was aborted: ",
                ")=(",
                ") already exists",
                "failing row contains (",
                "out of range: \"",
                "invalid input value for ",
                "value \"",
                "Token \"",
                "but found \"",
                "JSON data, line 1: ",
                "COPY t: \"",
                "COPY ",
                "SQL statement \"",
                "parameters: $1 = ",
                "Internal Query: ",
                "Duplicate entry '",
                "Incorrect x value: '",
                " near '",
                "Query is: ",
                "insert into ",
                "\"insert into \"",
                "`delete from `",
                "[merge into ]",
                "\"insert into t values \"",
                "insert into t values ((",
                "insert into t values ('",
                "update t set '",
                "[update t set ",
                "values (",
                "SELECT '",
                "Unrecognized token '",
                "[Source: (x)\"",
                "[Source: (",
                "from String \"",
                "from String value ('",
                "Numeric value (",
                "For input string: \"",
                "Text '",
                "Illegal a at index 1: ",
                "Illegal ",
                "No enum constant ",
                "No enum constant a.b.C.",
                "Invalid value ",
                "jdbc:oracle:thin:",
                "»",
                "«",
                "»«",
                "«»",
                "„",
                "“",
                "„“",
                "„x“«",
                "«x»“y”»",
                "constraint »",
                "constraint »x«",
                "contrainte ",
                "»(a)=(***)«",
                "»("));
    List<String> mixed = new ArrayList<>();
    for (String text : texts) {
      mixed.add(text + "x");
      mixed.add(text + "\n");
      mixed.add(text + "\n\tat ");
    }
    texts.addAll(mixed);
    return texts;
  }

  @ParameterizedTest
  @MethodSource("texts")
  void the_work_is_linear(String again) {
    for (Rule rule : ActiveRules.all()) {
      long once = work(rule, again, LENGTH);
      long fourTimes = work(rule, again, 4 * LENGTH);
      assertThat(fourTimes)
          .as("%s: %d looks at %d characters", rule, once, LENGTH)
          .isLessThan(once * 5 + 20_000);
      // A constant share as well, so that a bound inside a rule is not taken for linear.
      assertThat(once).as(String.valueOf(rule)).isLessThan(1_000L * LENGTH);
    }
  }

  @Test
  void work_that_is_not_linear_is_noticed() {
    Rule before = WholeMatchRule.of("(?<=Token )\"[^\n]*(?= is invalid)");
    long once = work(before, "Token \"", LENGTH);
    assertThat(work(before, "Token \"", 4 * LENGTH)).isGreaterThan(once * 5 + 20_000);
  }

  @Test
  void no_more_than_a_bounded_part_is_looked_at() {
    String begin = "x ".repeat(Sanitiser.MOST);
    assertThat(Sanitiser.clean(begin + "y".repeat(1 << 20)))
        .hasSizeLessThanOrEqualTo(Sanitiser.MOST)
        .endsWith("…");
    assertThat(Sanitiser.clean(begin, 100)).hasSize(100).endsWith("…");
    assertThat(Sanitiser.clean("short", 100)).isEqualTo("short");
  }

  @Test
  void a_value_that_is_cut_in_the_middle_does_not_show_half_of_it() {
    String url = "amqp://user:s3cr3ts3cr3t@host/";
    String value = "Unrecognized token '" + "v".repeat(300) + "': was expecting a number. ";
    for (int before = 0; before < 500; before++) {
      // What comes first shrinks, so that even the end of what was looked at is kept.
      String text = "x".repeat(before) + " " + value.repeat(40) + url + " behind";
      assertThat(Sanitiser.clean(text, 3_000)).doesNotContain("s3cr3t");
    }
  }

  private static long work(Rule rule, String again, int length) {
    Counted text = new Counted(again.repeat(length / again.length() + 1).substring(0, length));
    assertThat(rule.apply(text)).isNotNull();
    return text.looks;
  }

  /** Counts how often a character is looked at. */
  private static final class Counted implements CharSequence {
    private final String text;
    private long looks;

    Counted(String text) {
      this.text = text;
    }

    @Override
    public char charAt(int index) {
      looks++;
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      looks += end - start;
      return text.substring(start, end);
    }

    @Override
    public String toString() {
      looks += text.length();
      return text;
    }
  }
}
