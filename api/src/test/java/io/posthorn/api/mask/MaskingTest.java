package io.posthorn.api.mask;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import java.util.List;
import org.junit.jupiter.api.Test;

class MaskingTest {
  private static Message message(String json) {
    return Message.of("T").json(json.getBytes(UTF_8)).build();
  }

  private static ShownPayload shown(String json, MaskRule... rules) {
    return new PayloadView(true, List.of(rules)).payload(message(json), null);
  }

  @Test
  void a_rule_hides_a_value_shows_its_end_or_its_hash() {
    String json = "{\"a\":\"secret-1\",\"b\":\"DE1234567890\",\"c\":\"x\",\"d\":1}";
    String text =
        shown(
                json,
                new MaskRule("T", "/a", Show.HIDE),
                new MaskRule("T", "/b", Show.LAST_FOUR),
                new MaskRule("*", "/c", Show.HASH))
            .text();
    assertThat(text).contains("\"a\":\"•••\"", "\"b\":\"•••7890\"", "\"d\":1");
    assertThat(text).containsPattern("\"c\":\"#[0-9a-f]{12}\"");
  }

  @Test
  void a_short_value_never_shows_its_end() {
    assertThat(shown("{\"a\":\"1234567\"}", new MaskRule("T", "/a", Show.LAST_FOUR)).text())
        .isEqualTo("{\"a\":\"•••\"}");
  }

  @Test
  void a_star_in_a_pointer_means_every_element_and_every_member() {
    String text =
        shown(
                "{\"items\":[{\"iban\":\"x1\"},{\"iban\":{\"deep\":\"x2\"}}],\"by\":{\"anna\":\"x3\"}}",
                new MaskRule("T", "/items/*/iban", Show.HIDE),
                new MaskRule("T", "/by/*", Show.HIDE))
            .text();
    assertThat(text).doesNotContain("x1").doesNotContain("x2").doesNotContain("x3");
  }

  @Test
  void a_pointer_may_name_members_with_slashes_and_tildes() {
    assertThat(
            shown("{\"a/b\":{\"c~d\":\"xyz\"}}", new MaskRule("T", "/a~1b/c~0d", Show.HIDE)).text())
        .doesNotContain("xyz");
  }

  @Test
  void a_payload_that_rules_cannot_be_applied_to_is_hidden_whole() {
    MaskRule rule = new MaskRule("T", "/a", Show.HIDE);
    for (String payload : List.of("no json", "{\"a\":1,\"a\":2}", "\"text\"", "[".repeat(1_000))) {
      assertThat(shown(payload, rule).text()).as(payload).isNull();
      assertThat(shown(payload, rule).base64()).as(payload).isNull();
    }
  }

  @Test
  void a_masked_value_is_masked_in_errors_and_stacks_too() {
    PayloadView view = new PayloadView(true, List.of(new MaskRule("T", "/card", Show.HIDE)));
    Message message = message("{\"card\":\"4929-1234\",\"name\":\"Anna\"}");
    assertThat(view.error("no account 4929-1234 of Anna", message, null))
        .isEqualTo("no account ••• of Anna");
    assertThat(view.stack("E: 4929-1234\n\tat a.B.c(B.java:1)", message, null))
        .isEqualTo("E: •••\n\tat a.B.c(B.java:1)");
  }

  @Test
  void without_the_right_to_read_a_stack_has_classes_and_frames_only() {
    PayloadView view = new PayloadView(false, List.of());
    String stack =
        """
        java.lang.IllegalStateException: Anna Miller
        of 12 Long Street
        \tat a.B.c(B.java:12)
        Caused by: a.FooException: her card
        \t... 3 more""";
    assertThat(view.stack(stack, message("{}"), null))
        .isEqualTo(
            """
            java.lang.IllegalStateException: •••
            \tat a.B.c(B.java:12)
            Caused by: a.FooException: •••
            \t... 3 more""");
  }

  @Test
  void without_the_right_to_read_an_error_has_nothing_of_its_payload() {
    PayloadView view = new PayloadView(false, List.of());
    Message message = message("{\"name\":\"Anna Miller\",\"card\":\"4929-1234\"}");
    assertThat(view.error("Miller, Anna (4929-1234) not found: 'x' <a@b.org> 40012", message, null))
        .isEqualTo("•••, ••• (•••) not found: ••• <•••> •••");
  }

  @Test
  void without_the_right_to_read_an_error_in_a_list_has_only_its_class() {
    PayloadView view = new PayloadView(false, List.of());
    assertThat(view.error("a.FooException: Anna Miller", "T")).isEqualTo("a.FooException: •••");
    assertThat(view.error("no Anna Miller", "T")).isEqualTo("•••");
    assertThat(view.anyText("no Anna Miller")).isEqualTo("•••");
  }

  @Test
  void an_encrypted_payload_is_not_shown() {
    ShownPayload shown = new PayloadView(true, List.of()).payload(message("abc"), "key-7");
    assertThat(shown.text()).isNull();
    assertThat(shown.note()).contains("key-7");
  }
}
