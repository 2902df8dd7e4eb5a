package io.posthorn.postgresql.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.operate.archive.Part;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A program whose language writes numbers with other digits uses the same tables, files and codes.
 */
class OtherDigitsTest {
  private final Locale before = Locale.getDefault();

  @BeforeEach
  void persian() {
    Locale.setDefault(Locale.forLanguageTag("fa"));
    assertThat("%d".formatted(7)).as("the language has its own digits").isNotEqualTo("7");
  }

  @AfterEach
  void asBefore() {
    Locale.setDefault(before);
  }

  @Test
  void leaves_have_their_names() {
    assertThat(Ring.leaf("posthorn_log", 7)).isEqualTo("posthorn_log_07");
    assertThat(ReceiptRing.leaf(7)).isEqualTo("posthorn_receipt_07");
  }

  @Test
  void codes_are_the_same() {
    assertThat(ErrorCode.CURSOR_AHEAD.text()).isEqualTo("POSTHORN-016");
  }

  @Test
  void parts_of_archives_have_their_names() {
    Part part = new Part(Part.Kind.MESSAGES, LocalDate.of(2026, 1, 31), 7, List.of("{}"));
    assertThat(part.name()).startsWith("messages-2026-01-31-0000000000000000007-1-");
  }
}
