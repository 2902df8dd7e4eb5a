package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StreamMatcherTest {
  private final StreamMatcher matcher = StreamMatcher.token("COMMIT");
  private final StreamMatcher.Scan scan = matcher.begin();

  @Test
  void a_token_is_found_inside_a_chunk() {
    assertThat(sees("P\0\0COMMIT\0\0B")).isTrue();
  }

  @Test
  void a_token_is_found_in_any_case() {
    assertThat(sees("commit")).isTrue();
  }

  @Test
  void a_token_is_found_when_it_comes_byte_by_byte() {
    for (String letter : "xCOCOMMI".split("")) {
      assertThat(sees(letter)).isFalse();
    }
    assertThat(sees("T")).isTrue();
  }

  @Test
  void a_token_is_not_found_when_something_is_between_its_parts() {
    assertThat(sees("COM")).isFalse();
    assertThat(sees(" MIT")).isFalse();
    assertThat(sees("COMM")).isFalse();
  }

  @Test
  void connections_are_looked_at_apart() {
    assertThat(sees("COM")).isFalse();
    assertThat(matcher.begin().reachedWith(bytes("MIT"))).isFalse();
    assertThat(sees("MIT")).isTrue();
  }

  private boolean sees(String chunk) {
    return scan.reachedWith(bytes(chunk));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
