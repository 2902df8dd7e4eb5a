package io.posthorn.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlainTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u001b[2J", // clears the screen
        "\u001b]0;title\u0007", // renames the window
        "\u009b31m", // the same as ESC [, in one character
        "\u0090q\u009c", // a device control string
        "\u0008\u0008\u0008", // moves back over the text before
        "harmless\rforged", // overwrites the beginning of the line
        "\u007f",
        "\u202egnp.exe", // reverses the direction of writing
        "\u2066x\u2069",
        "\u0000"
      })
  void nothing_steers_a_terminal(String hostile) {
    for (String shown : new String[] {Plain.text("a" + hostile), Plain.line("a" + hostile)}) {
      assertThat(shown.codePoints().map(Character::getType))
          .doesNotContain((int) Character.CONTROL, (int) Character.FORMAT);
    }
  }

  @Test
  void lines_stay_lines_in_a_text_and_are_joined_in_a_line() {
    assertThat(Plain.text("one\n\ttwo")).isEqualTo("one\n\ttwo");
    assertThat(Plain.line("error\r\nstate  SENT\u2028x")).isEqualTo("error state  SENT x");
  }

  @Test
  void what_people_write_stays() {
    String text = "Größe 5 €, 日本語, שלום, emoji \uD83D\uDE80";
    assertThat(Plain.text(text)).isEqualTo(text);
  }
}
