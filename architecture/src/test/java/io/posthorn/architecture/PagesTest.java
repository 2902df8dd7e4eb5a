package io.posthorn.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages of the documentation can be read in any editor, and their links lead somewhere. */
class PagesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @Test
  void prose_of_the_pages_is_at_most_120_columns_wide() throws IOException {
    assertThat(problems(page -> page.wideLines().stream().map(line -> tooWide(page, line))))
        .as("lines of prose that are longer than %s columns; break them", Page.COLUMNS)
        .isEmpty();
  }

  @Test
  void every_relative_link_leads_to_a_file_and_a_heading() throws IOException {
    assertThat(problems(PagesTest::deadLinks))
        .as("links of the pages that lead nowhere; a heading's anchor follows GitHub's rules")
        .isEmpty();
  }

  @Test
  void tables_code_and_lines_that_are_a_link_may_be_wider() {
    String wide = "x".repeat(Page.COLUMNS + 1);
    Page page =
        Page.of(
            Path.of("page.md"),
            String.join(
                "\n",
                wide,
                "| " + wide + " |",
                "```java",
                wide,
                "```",
                "- " + wide,
                "https://" + wide,
                "- [a link](" + wide + ")",
                "[name]: https://" + wide,
                "é".repeat(Page.COLUMNS)));
    assertThat(page.wideLines()).containsExactly(1, 6);
  }

  @Test
  void a_link_that_leads_nowhere_is_found_with_its_line(@TempDir Path directory)
      throws IOException {
    Files.writeString(
        directory.resolve("other.md"),
        """
        # Other
        ## A `b_c`: [d](e), f
        ## Twice
        ## Twice
        """);
    Files.writeString(directory.resolve("Code.java"), "");
    Page page =
        Page.of(
            directory.resolve("page.md"),
            """
            # Page
            [ok](other.md), [ok](other.md#a-b_c-d-f), [ok](#page), [ok](Code.java#L3)
            [ok](https://a.org/none.md), `[code](none.md)`, [ok][defined], [ok](other.md#twice-1)
            ```
            [code](none.md)
            ```
            [file](none.md) [here](#none) [there](other.md#none) [third](other.md#twice-2)
            [wrapped
            text](none.md) [name][undefined]

            [defined]: other.md
            [definition]: none.md
            """);
    assertThat(deadLinks(page).map(problem -> problem.replaceAll("^.*page.md:|: .*", "")))
        .containsExactlyInAnyOrder("7", "7", "7", "7", "8", "12", "9");
  }

  private static List<String> problems(Function<Page, Stream<String>> of) throws IOException {
    List<Page> pages = Page.ofTheRepository(ROOT);
    assertThat(pages).hasSizeGreaterThan(50);
    return pages.stream().flatMap(of).toList();
  }

  private static String tooWide(Page page, int line) {
    return "%s: %s columns".formatted(place(page, line), page.width(line));
  }

  private static Stream<String> deadLinks(Page page) {
    return Stream.concat(
        page.relativeLinks().stream()
            .filter(link -> !page.problemOf(link).isEmpty())
            .map(
                link ->
                    "%s: %s: %s"
                        .formatted(place(page, link.line()), link.target(), page.problemOf(link))),
        page.undefinedReferences().stream()
            .map(
                link ->
                    "%s: [%s]: the page does not define it"
                        .formatted(place(page, link.line()), link.target())));
  }

  private static String place(Page page, int line) {
    Path file = page.file().startsWith(ROOT) ? ROOT.relativize(page.file()) : page.file();
    return file + ":" + line;
  }
}
