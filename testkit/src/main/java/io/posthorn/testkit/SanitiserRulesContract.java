package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.Rule;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.error.SanitiserRules;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * What a store promises of its {@link SanitiserRules}: they remove values, they keep what helps to
 * find the fault, they always apply, and their work is linear.
 */
public abstract class SanitiserRulesContract {
  private static final int LENGTH = 2_000;

  /** Beginnings and ends of many kinds of text, which the rules of a database must pass quickly. */
  private static final List<String> COMMON =
      List.of(
          "a",
          "a ",
          "a.",
          "@",
          "a@b.",
          "/",
          "://",
          "\\",
          "\"",
          "'",
          "''",
          "(",
          ")",
          "[",
          "\n",
          "\n\t",
          ": \"",
          "token=\"",
          "insert into t values ((",
          "update t set '",
          "SELECT '");

  private static final String FRAMES =
      "\n\tat shop.Placed.handle(Placed.java:7)\n\t... 3 more\nCaused by: java.lang.Y: x";

  protected abstract SanitiserRules rules();

  /** The class of the store, whose initialisation adds the rules. */
  protected abstract Class<?> store();

  /**
   * Messages as the database and its driver write them, each with what is kept of it in the line
   * below, and with an empty line between them. ⏎ stands for a line break. Persons are called anna.
   */
  protected abstract String messages();

  /**
   * Beginnings without an end, ends without a beginning, and what else leads these rules astray.
   */
  protected abstract List<String> fragments();

  private record Message(String said, String kept) {}

  private List<Message> parsed() {
    return Stream.of(messages().split("\n\n"))
        .map(
            pair -> {
              String[] lines = pair.strip().split("\n");
              assertThat(lines).as(pair).hasSize(2);
              return new Message(lines[0].replace('⏎', '\n'), lines[1].replace('⏎', '\n'));
            })
        .toList();
  }

  private Stream<DynamicTest> each(Consumer<Message> test) {
    return parsed().stream()
        .map(message -> DynamicTest.dynamicTest(message.said, () -> test.accept(message)));
  }

  @TestFactory
  Stream<DynamicTest> what_helps_is_kept_and_persons_are_not() {
    return each(
        message ->
            assertThat(Sanitiser.clean(message.said))
                .isEqualTo(message.kept)
                .doesNotContain("anna"));
  }

  @TestFactory
  Stream<DynamicTest> what_is_clean_stays_as_it_is() {
    return each(message -> assertThat(Sanitiser.clean(message.kept)).isEqualTo(message.kept));
  }

  @TestFactory
  Stream<DynamicTest> in_a_stack_trace_it_is_the_same() {
    return each(
        message ->
            assertThat(Sanitiser.clean("java.lang.X: " + message.said + FRAMES))
                .isEqualTo("java.lang.X: " + message.kept + FRAMES));
  }

  @TestFactory
  Stream<DynamicTest> the_work_is_linear() {
    List<String> texts = new ArrayList<>();
    for (String text : Stream.concat(COMMON.stream(), fragments().stream()).toList()) {
      texts.addAll(List.of(text, text + "x", text + "\n", text + "\n\tat "));
      rules().headings().forEach(heading -> texts.add(text + "\n  " + heading));
    }
    parsed().forEach(message -> texts.add(message.said));
    return texts.stream()
        .map(again -> DynamicTest.dynamicTest("again: " + again, () -> assertLinear(again)));
  }

  private void assertLinear(String again) {
    for (Rule rule : rules().rules()) {
      long once = work(rule, again, LENGTH);
      long fourTimes = work(rule, again, 4 * LENGTH);
      assertThat(fourTimes)
          .as("%s: %d looks at %d characters", rule, once, LENGTH)
          .isLessThan(once * 5 + 20_000);
      // A constant share as well, so that a bound inside a rule is not taken for linear.
      assertThat(once).as(String.valueOf(rule)).isLessThan(1_000L * LENGTH);
    }
  }

  private static long work(Rule rule, String again, int length) {
    CountedText text =
        new CountedText(again.repeat(length / again.length() + 1).substring(0, length));
    assertThat(rule.apply(text)).isNotNull();
    return text.looks();
  }

  @Test
  void a_heading_is_a_word_that_no_value_is() {
    assertThat(rules().headings()).allMatch(heading -> heading.strip().length() > 2);
  }

  @Test
  void the_rules_apply_before_a_store_exists() {
    assertAllCleaned(new FreshClasses(true, rules().getClass()));
  }

  @Test
  void a_store_adds_its_rules_where_the_list_of_services_was_lost() throws Exception {
    FreshClasses classes = new FreshClasses(false, rules().getClass());
    assertThat(parsed())
        .as("what only the store's rules clean")
        .anyMatch(message -> classes.clean(message.said).contains("anna"));
    Class.forName(store().getName(), true, classes);
    assertAllCleaned(classes);
  }

  private void assertAllCleaned(FreshClasses classes) {
    for (Message message : parsed()) {
      assertThat(classes.clean(message.said)).isEqualTo(message.kept);
    }
  }
}
