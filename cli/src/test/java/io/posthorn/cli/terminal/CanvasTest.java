package io.posthorn.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CanvasTest {
  private final Canvas canvas = new Canvas(2, 10);

  @Test
  void what_does_not_fit_is_cut_off() {
    canvas.put(0, 8, "abc", Style.PLAIN);
    canvas.putRight(1, 2, "abc", Style.PLAIN);
    canvas.put(5, 0, "abc", Style.PLAIN);

    assertThat(canvas.row(0)).isEqualTo("        ab");
    assertThat(canvas.row(1)).isEqualTo("bc");
  }

  @Test
  void every_row_replaces_what_stood_there() {
    canvas.put(0, 0, "ab", Style.PLAIN);

    assertThat(canvas.render(true, true)).isEqualTo("\u001b[Hab\u001b[K\r\n\u001b[K\u001b[J");
  }

  @Test
  void a_style_ends_where_it_should() {
    canvas.put(0, 0, "a", Style.GREEN);
    canvas.put(0, 1, "b", Style.PLAIN);
    canvas.put(1, 0, "c", Style.BOLD);

    assertThat(canvas.render(true, true))
        .contains("\u001b[0;32ma\u001b[0mb\u001b[K")
        .contains("\u001b[0;1mc\u001b[0m\u001b[K");
  }

  @Test
  void without_colours_there_are_none() {
    canvas.put(0, 0, "a", Style.BOLD_RED);

    assertThat(canvas.render(true, false)).startsWith("\u001b[Ha\u001b[K");
  }

  @Test
  void a_terminal_without_unicode_gets_plain_letters() {
    canvas.put(0, 0, "╭─╮", Style.PLAIN);
    Sparkline.draw(canvas, 1, 1, 0, 10, List.of(0L, 1L, 5L, 9L));

    assertThat(canvas.render(false, false)).matches("\\p{ASCII}*").contains("+-+");
  }

  @Test
  void the_newest_value_of_a_sparkline_is_at_the_right() {
    Sparkline.draw(canvas, 0, 2, 0, 3, List.of(99L, 0L, 4L, 8L));

    assertThat(canvas.row(0)).isEqualTo("  █");
    assertThat(canvas.row(1)).isEqualTo("▁██");
  }
}
