package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class OracleEntryTest {
  private final OracleEntry entry = new OracleEntry("a key, with spaces & ümlaut", 42);

  @Test
  void a_message_says_its_entry_in_one_line() {
    String line = OracleEntry.line(entry.message(0));
    assertThat(line).startsWith(OracleEntry.PREFIX).doesNotContain("\n");
    assertThat(OracleEntry.parse(line)).isEqualTo(entry);
  }

  @Test
  void a_message_is_as_large_as_asked_for() {
    Message message = entry.message(5_000);
    assertThat(message.payload()).hasSize(5_000);
    assertThat(OracleEntry.parse(OracleEntry.line(message))).isEqualTo(entry);
  }

  @Test
  void another_payload_is_noticed() {
    Message message = entry.message(100);
    byte[] other =
        new String(message.payload(), StandardCharsets.UTF_8)
            .replace("42", "43")
            .getBytes(StandardCharsets.UTF_8);
    assertThat(OracleEntry.parse(OracleEntry.line(message.withPayload(other)))).isNull();
  }

  @Test
  void another_key_is_noticed() {
    Message message = entry.message(0);
    Message other =
        Message.of(message.type())
            .key(Oracle.AGGREGATE, "another")
            .json(message.payload())
            .header("oracle-check", message.headers().get("oracle-check"))
            .build();
    assertThat(OracleEntry.parse(OracleEntry.line(other))).isNull();
  }

  @Test
  void anything_else_is_a_damaged_message_and_no_error() {
    Message other = Message.of("Other").json(new byte[] {1, 2, 3}).build();
    assertThat(OracleEntry.parse(OracleEntry.line(other))).isNull();
    assertThat(OracleEntry.parse(OracleEntry.PREFIX + "%zz x")).isNull();
  }
}
