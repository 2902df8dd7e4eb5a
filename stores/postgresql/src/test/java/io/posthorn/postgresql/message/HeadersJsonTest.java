package io.posthorn.postgresql.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HeadersJsonTest {
  @Test
  void values_that_are_no_strings_keep_their_json() {
    assertThat(
            HeadersJson.read(
                "{\"a\": 1, \"b\": null, \"c\": {\"d\": [1, \"x, }\\\"]\"]}, \"e\": true, \"f\":"
                    + " \"g\"}"))
        .isEqualTo(
            Map.of(
                "a", "1", "b", "null", "c", "{\"d\": [1, \"x, }\\\"]\"]}", "e", "true", "f", "g"));
  }

  @Test
  void whatever_is_written_is_read_back() {
    Random random = new Random(3);
    String alphabet = "ab\"\\{}[],: \n\t\u0001é漢";
    for (int i = 0; i < 2_000; i++) {
      Map<String, String> headers = new LinkedHashMap<>();
      for (int n = random.nextInt(4); n >= 0; n--) {
        headers.put(text(random, alphabet), text(random, alphabet));
      }
      assertThat(HeadersJson.read(HeadersJson.write(headers))).isEqualTo(headers);
    }
  }

  private static String text(Random random, String alphabet) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(6); i > 0; i--) {
      text.append(alphabet.charAt(random.nextInt(alphabet.length())));
    }
    return text.toString();
  }
}
