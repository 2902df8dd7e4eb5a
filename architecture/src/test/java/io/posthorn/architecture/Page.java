package io.posthorn.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A page of the documentation. Its lines keep their numbers; those of code blocks are empty. */
record Page(Path file, List<String> lines) {
  static final int COLUMNS = 120;

  private static final Pattern FENCE = Pattern.compile("\\s*(```+|~~~+).*");
  private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?)(?: +#+)?");
  private static final Pattern INLINE_CODE = Pattern.compile("(`+)(?!`).+?(?<!`)\\1(?!`)");
  private static final Pattern INLINE_LINK =
      Pattern.compile("\\[([^\\[\\]]*)]\\(\\s*<?([^)\\s>]+)>?[^)]*\\)");
  private static final Pattern REFERENCE = Pattern.compile("\\[[^\\[\\]]+]\\[([^\\[\\]]+)]");
  private static final Pattern DEFINITION = Pattern.compile("(?m)^\\[([^\\[\\]]+)]: +<?([^\\s>]+)");
  private static final Pattern HTML_ANCHOR = Pattern.compile("<a (?:id|name)=\"([^\"]+)\"");
  private static final Pattern ONLY_A_LINK =
      Pattern.compile(
          "\\s*(?:[-*] +)?(?:<?https?://\\S+|\\[[^]]*]\\(\\S+\\)[.,;:]?|\\[[^]]+]: \\S+)");

  /** A link, and the line in which it begins, from 1. */
  record Link(int line, String target) {}

  /** The pages at the root, below docs and below examples. */
  static List<Page> ofTheRepository(Path root) throws IOException {
    try (Stream<Path> top = Files.list(root);
        Stream<Path> docs = Files.walk(root.resolve("docs"));
        Stream<Path> examples = Files.walk(root.resolve("examples"))) {
      return Stream.of(top, docs, examples)
          .flatMap(files -> files)
          .filter(file -> file.toString().endsWith(".md"))
          .filter(file -> !root.relativize(file).toString().contains("target/"))
          .sorted()
          .map(Page::read)
          .toList();
    }
  }

  static Page read(Path file) {
    try {
      return of(file, Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Page of(Path file, String text) {
    List<String> lines = new ArrayList<>();
    String fence = "";
    for (String line : text.lines().toList()) {
      Matcher opening = FENCE.matcher(line);
      if (!fence.isEmpty()) {
        fence = line.strip().startsWith(fence) ? "" : fence;
        lines.add("");
      } else if (opening.matches()) {
        fence = opening.group(1);
        lines.add("");
      } else {
        lines.add(line);
      }
    }
    return new Page(file, List.copyOf(lines));
  }

  /** Numbers, from 1, of prose lines that are too wide. Tables and links cannot be wrapped. */
  List<Integer> wideLines() {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (width(i + 1) > COLUMNS
          && !line.strip().startsWith("|")
          && !ONLY_A_LINK.matcher(line).matches()) {
        found.add(i + 1);
      }
    }
    return found;
  }

  int width(int line) {
    String text = lines.get(line - 1);
    return text.codePointCount(0, text.length());
  }

  /** The links of the page, except those with a scheme, such as https. */
  List<Link> relativeLinks() {
    String text = withoutInlineCode();
    return Stream.of(INLINE_LINK, DEFINITION)
        .flatMap(pattern -> pattern.matcher(text).results())
        .map(match -> new Link(lineOf(text, match), match.group(2)))
        .filter(link -> !link.target().matches("[a-z][a-z0-9+.-]*:.*"))
        .toList();
  }

  /** Links of the form {@code [text][name]} whose name the page does not define. */
  List<Link> undefinedReferences() {
    String text = withoutInlineCode();
    Set<String> defined =
        DEFINITION
            .matcher(text)
            .results()
            .map(match -> match.group(1).toLowerCase(Locale.ROOT))
            .collect(Collectors.toSet());
    return REFERENCE
        .matcher(text)
        .results()
        .filter(match -> !defined.contains(match.group(1).toLowerCase(Locale.ROOT)))
        .map(match -> new Link(lineOf(text, match), match.group(1)))
        .toList();
  }

  /** What is wrong with a relative link; empty if it leads to a file and, there, to a heading. */
  String problemOf(Link link) {
    URI target;
    try {
      target = new URI(link.target());
    } catch (URISyntaxException e) {
      return "it is not a URI: " + e.getReason();
    }
    String anchor = target.getFragment();
    if (target.getPath().isEmpty()) {
      return problemOf(this, anchor);
    }
    Path to = file.resolveSibling(target.getPath()).normalize();
    if (!Files.exists(to)) {
      return "there is no file " + to.getFileName();
    }
    if (to.toString().endsWith(".md")) {
      return problemOf(read(to), anchor);
    }
    return anchor == null || anchor.matches("L\\d+(-L\\d+)?") ? "" : "only pages have headings";
  }

  private static String problemOf(Page to, @Nullable String anchor) {
    return anchor == null || to.anchors().contains(anchor) ? "" : "no heading has this anchor";
  }

  /** The anchors that GitHub gives to the headings, and those that are set by hand. */
  Set<String> anchors() {
    Set<String> anchors = new HashSet<>();
    Map<String, Integer> seen = new HashMap<>();
    for (String line : lines) {
      Matcher heading = HEADING.matcher(line);
      if (heading.matches()) {
        String anchor = anchorOf(heading.group(1));
        int before = seen.merge(anchor, 1, Integer::sum) - 1;
        anchors.add(before == 0 ? anchor : anchor + "-" + before);
      }
      HTML_ANCHOR.matcher(line).results().forEach(match -> anchors.add(match.group(1)));
    }
    return anchors;
  }

  /** In lower case, with hyphens for spaces, and only letters, digits, underscores and hyphens. */
  private static String anchorOf(String heading) {
    return INLINE_LINK
        .matcher(heading)
        .replaceAll("$1")
        .strip()
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{M}\\p{N}_ -]", "")
        .replace(' ', '-');
  }

  private String withoutInlineCode() {
    return lines.stream()
        .map(line -> INLINE_CODE.matcher(line).replaceAll(code -> blanks(code.group())))
        .collect(Collectors.joining("\n"));
  }

  private static String blanks(String text) {
    char[] blanks = new char[text.length()];
    Arrays.fill(blanks, ' ');
    return new String(blanks);
  }

  private static int lineOf(String text, MatchResult match) {
    return 1 + (int) text.substring(0, match.start()).chars().filter(c -> c == '\n').count();
  }
}
