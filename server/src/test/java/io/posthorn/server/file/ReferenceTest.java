package io.posthorn.server.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Both are written by this test with {@code -Dposthorn.write=true}. */
class ReferenceTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private final Reference reference = new Reference(new Descriptions(ROOT));

  ReferenceTest() throws IOException {}

  @Test
  void the_page_has_every_key_of_the_file() throws IOException {
    same("docs/reference/server.md", reference.page());
  }

  @Test
  void the_schema_has_every_key_of_the_file() throws IOException {
    same("docs/reference/posthorn.schema.json", reference.schema());
  }

  @Test
  void the_example_of_the_distribution_is_a_good_file() throws IOException {
    good(ROOT.resolve("server/src/main/dist/conf/posthorn.yaml.example"));
  }

  @Test
  void the_minimal_example_is_a_good_file() throws IOException {
    good(ROOT.resolve("server/src/main/resources/io/posthorn/server/minimal.yaml"));
  }

  private static void same(String page, String expected) throws IOException {
    Path file = ROOT.resolve(page);
    if (Boolean.getBoolean("posthorn.write")) {
      Files.writeString(file, expected);
    }
    assertThat(Files.readString(file))
        .as("%s; -Dposthorn.write=true writes it", page)
        .isEqualTo(expected);
  }

  /** The secrets that it names are not there, but nothing else is wrong. */
  private static void good(Path file) {
    assertThat(
            FileReader.read(file, Map.of("SHOP_PASSWORD", "x", "RABBIT_PASSWORD", "x")).problems())
        .extracting(Problem::text)
        .allMatch(text -> text.startsWith("the file cannot be read, or is empty"));
  }
}
