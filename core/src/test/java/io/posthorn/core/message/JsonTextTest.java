package io.posthorn.core.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonTextTest {
  @Test
  void any_text_is_written_as_valid_json_and_read_back() {
    Random random = new Random(5);
    String alphabet = "ab\"\\/{}[],: \n\t\b\u0000\u0001\u001f\u007f\u2028é漢";
    for (int i = 0; i < 2_000; i++) {
      Map<String, String> texts = new LinkedHashMap<>();
      for (int n = random.nextInt(4); n > 0; n--) {
        texts.put(text(random, alphabet), text(random, alphabet));
      }
      String json = JsonText.object(texts);
      assertThat(JsonSyntax.isValid(json.getBytes(UTF_8))).as(json).isTrue();
      assertThat(JsonObject.read(json).orElseThrow().texts()).isEqualTo(texts);
      assertThat(JsonObject.read(json.getBytes(UTF_8)).orElseThrow().texts()).isEqualTo(texts);
    }
  }

  @Test
  void escapes_of_every_kind_are_read() {
    assertThat(JsonText.unquote("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u6F22z\""))
        .isEqualTo("a\"\\/\b\f\n\r\té漢z");
  }

  private static String text(Random random, String alphabet) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(6); i > 0; i--) {
      text.append(alphabet.charAt(random.nextInt(alphabet.length())));
    }
    return text.toString();
  }
}
