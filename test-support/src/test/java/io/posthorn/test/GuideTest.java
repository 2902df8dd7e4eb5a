package io.posthorn.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class GuideTest {
  private static final Path TESTS = Path.of("src/test/java/io/posthorn/test");

  @Test
  void the_code_in_the_guide_is_the_code_of_these_tests() throws IOException {
    String guide = Files.readString(Path.of("../docs/guide/testing.md"));
    String source =
        Files.readString(TESTS.resolve("OrdersTest.java"))
            + Files.readString(TESTS.resolve("ConsumersTest.java"))
            + Files.readString(
                Path.of(
                    "../spring-boot-starter/common/src/test/java/io/posthorn/spring/DeliverAllTest.java"));
    var regions =
        Pattern.compile("// guide:\\w+\\n(.*?)// guide:end", Pattern.DOTALL)
            .matcher(source)
            .results()
            .map(region -> withoutSpace(region.group(1)))
            .toList();
    assertThat(regions).hasSize(8);
    assertThat(withoutSpace(guide)).contains(regions);
  }

  private static String withoutSpace(String text) {
    return text.replaceAll("\\s+", "");
  }
}
