package io.posthorn.core.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page that people open when they search for a code. */
class ErrorsPageTest {
  private static final Path PAGE = Path.of("../docs/reference/errors.md");
  private static final Pattern ROW =
      Pattern.compile(
          "^\\| (POSTHORN-\\d+ \\| [A-Z_]+) \\| [^|]+ \\| [^|]+ \\|$", Pattern.MULTILINE);

  @Test
  void the_page_explains_every_code_once_and_in_order_and_no_other() throws IOException {
    List<String> explained =
        ROW.matcher(Files.readString(PAGE)).results().map(row -> row.group(1)).toList();
    assertThat(explained)
        .containsExactlyElementsOf(
            Arrays.stream(ErrorCode.values())
                .map(code -> code.text() + " | " + code.name())
                .toList());
  }

  @Test
  void no_two_errors_share_a_code() {
    assertThat(Arrays.stream(ErrorCode.values()).map(ErrorCode::text)).doesNotHaveDuplicates();
  }
}
