package io.posthorn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PosthornTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "demo",
        "bench",
        "example",
        "schema",
        "schema migrate",
        "schema print",
        "schema grants"
      })
  void every_command_explains_itself(String command) {
    Ran ran = Ran.posthorn((command + " --help").strip().split(" "));

    assertThat(ran.code()).isZero();
    assertThat(ran.out()).startsWith("Usage: posthorn" + (command.isEmpty() ? "" : " " + command));
    assertThat(ran.err()).isEmpty();
  }

  @Test
  void the_version_is_that_of_the_build() {
    Ran ran = Ran.posthorn("--version");

    assertThat(ran.code()).isZero();
    assertThat(ran.out()).matches("(?s)posthorn \\d+\\.\\d+\\.\\d+.*");
  }

  @Test
  void a_mistyped_command_is_guessed() {
    Ran ran = Ran.posthorn("demmo");

    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err()).contains("'demmo'").contains("Did you mean: posthorn demo");
    assertThat(ran.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo",
        "demo --headless --seconds 10 --json",
        "bench drain --rounds=1",
        "example registration"
      })
  void what_is_not_part_of_this_program_says_where_it_is(String command) {
    Ran ran = Ran.posthorn(command.split(" "));

    assertThat(ran.code()).isEqualTo(1);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err())
        .startsWith("posthorn: '" + command.split(" ")[0] + "' was not run")
        .contains("./posthorn " + command.split(" ")[0])
        .hasLineCount(1);
  }

  @Test
  void without_a_command_it_lists_what_there_is() {
    Ran ran = Ran.posthorn();

    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err()).contains("a command is missing").contains("demo").contains("schema");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "schema migrate",
        "schema migrate --url postgres://localhost/shop",
        "schema print --format xml",
        "schema print --schema a;b",
        "schema grants",
      })
  void a_usage_error_says_what_is_wrong_and_where_to_look(String command) {
    Ran ran = Ran.posthorn(command.split(" "));

    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err())
        .startsWith("posthorn: ")
        .contains("--help'.")
        .doesNotContain("\tat ", "Exception");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status --passwort s3cret --stacktrace",
        "status --passwort=s3cret --stacktrace",
        "status --user anna password=s3cret --stacktrace",
        "status --json jdbc:postgresql://localhost/shop?password=s3cret --stacktrace",
        "schema migrate --url postgresql://user:s3cret@localhost/shop --stacktrace",
        "dead list --stacktrace --limit password=s3cret",
      })
  void a_secret_in_what_was_not_understood_is_not_repeated(String command) {
    Ran ran = Ran.posthorn(command.split(" "));

    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.err()).startsWith("posthorn: ").contains("\tat ").doesNotContain("s3cret");
  }

  @Test
  void an_option_that_does_not_exist_is_named() {
    assertThat(Ran.posthorn("status", "--passwort=x").err())
        .contains("'--passwort'")
        .contains("Possible solutions: --password");
  }
}
