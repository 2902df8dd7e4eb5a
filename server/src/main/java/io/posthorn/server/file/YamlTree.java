package io.posthorn.server.file;

import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;

/** Parses the file into nodes that know their lines. No object is ever made of them. */
final class YamlTree {
  private static final int MOST_CHARACTERS = 4 << 20;
  private static final int DEEPEST = 20;

  private YamlTree() {}

  /** Returns null, and reports the problem, if the file cannot be read as one mapping. */
  static @Nullable MappingNode parse(Path file, List<Problem> problems) {
    String text = text(file, problems);
    if (text == null) {
      return null;
    }
    try {
      Iterator<Node> documents = yaml().composeAll(new StringReader(text)).iterator();
      Node first = documents.hasNext() ? documents.next() : null;
      if (!(first instanceof MappingNode mapping)) {
        problems.add(whole(text.isBlank() ? "the file is empty" : "the file has no keys"));
        return null;
      }
      if (documents.hasNext()) {
        problems.add(at(documents.next().getStartMark(), "a second document begins: remove it"));
      }
      return mapping;
    } catch (MarkedYAMLException e) {
      problems.add(at(e.getProblemMark(), "this is no YAML: " + withoutValues(e)));
    } catch (YAMLException e) {
      problems.add(whole("this is no YAML, or it is too large or too deep"));
    }
    return null;
  }

  private static Yaml yaml() {
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(MOST_CHARACTERS);
    options.setNestingDepthLimit(DEEPEST);
    return new Yaml(new SafeConstructor(options));
  }

  private static @Nullable String text(Path file, List<Problem> problems) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
          .toString();
    } catch (NoSuchFileException e) {
      problems.add(whole("there is no such file"));
    } catch (CharacterCodingException e) {
      problems.add(whole("the file is not encoded in UTF-8"));
    } catch (IOException e) {
      problems.add(
          whole("the file cannot be read: " + e.getClass().getSimpleName() + ". Check its rights"));
    }
    return null;
  }

  /** The parser's text without names of anchors and tags, which may be the start of a secret. */
  private static String withoutValues(MarkedYAMLException e) {
    String problem = String.valueOf(e.getProblem());
    if (problem.contains("alias") || problem.contains("anchor")) {
      return "* and & at the start of a value need quotes around it";
    }
    if (problem.contains("tag") || problem.contains("directive")) {
      return "! and % at the start of a value need quotes around it";
    }
    return problem;
  }

  private static Problem at(@Nullable Mark mark, String text) {
    return mark == null
        ? whole(text)
        : new Problem(mark.getLine() + 1, mark.getColumn() + 1, "", text);
  }

  private static Problem whole(String text) {
    return new Problem(1, 1, "", text);
  }
}
