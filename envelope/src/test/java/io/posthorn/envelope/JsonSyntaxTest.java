package io.posthorn.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.posthorn.core.message.JsonSyntax;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compares the verdict with Jackson's, on randomly damaged JSON. */
class JsonSyntaxTest {
  private static final ObjectMapper JACKSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private static final String SAMPLE =
      "{\"a\":[1,-2.5e+3,0,true,false,null,\"x\\u00e9\\n\\\"\"], \"b\" : {\"c\":{}} ,\"d\":[]}";
  private static final String PIECES = "{}[]\",:\\ntrue0123456789.eE+- \t\u0001";

  private static boolean jackson(String text) {
    try (JsonParser parser = JACKSON.createParser(text.getBytes(UTF_8))) {
      return !JACKSON.readTree(parser).isMissingNode();
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void it_agrees_with_jackson() {
    Random random = new Random(3);
    int valid = 0;
    for (int i = 0; i < 50_000; i++) {
      StringBuilder text = new StringBuilder(SAMPLE);
      for (int change = random.nextInt(3); change > 0; change--) {
        int at = random.nextInt(text.length());
        if (random.nextBoolean()) {
          text.deleteCharAt(at);
        } else {
          text.insert(at, PIECES.charAt(random.nextInt(PIECES.length())));
        }
      }
      boolean expected = jackson(text.toString());
      valid += expected ? 1 : 0;
      assertThat(JsonSyntax.isValid(text.toString().getBytes(UTF_8)))
          .as(text.toString())
          .isEqualTo(expected);
    }
    assertThat(valid).isBetween(5_000, 45_000);
  }

  @Test
  void what_is_no_utf_8_or_too_deep_is_no_json() {
    assertThat(JsonSyntax.isValid(new byte[] {'"', (byte) 0xff, '"'})).isFalse();
    assertThat(JsonSyntax.isValid("[".repeat(100_000).getBytes(UTF_8))).isFalse();
    assertThat(JsonSyntax.isValid(("[".repeat(100) + "]".repeat(100)).getBytes(UTF_8))).isTrue();
    assertThat(JsonSyntax.isValid(new byte[0])).isFalse();
  }
}
