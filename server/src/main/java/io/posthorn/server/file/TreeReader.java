package io.posthorn.server.file;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** Reads the nodes of the file along the records of the model, and finds what does not fit. */
final class TreeReader {
  private static final Pattern ENTRY = Pattern.compile("[^\\[\\]\\p{Cntrl}]+");

  // Whatever reads the value next would take it for a placeholder, and might show it.
  private static final String INNER_VARIABLE = "contains '${', which cannot be in a value";

  private final Map<String, String> values = new LinkedHashMap<>();
  private final Map<String, Place> places = new LinkedHashMap<>();
  private final Set<Path> readableByAll = new LinkedHashSet<>();
  private final List<Problem> problems;
  private final Variables variables;
  private final SecretFile secrets;

  TreeReader(Variables variables, SecretFile secrets, List<Problem> problems) {
    this.variables = variables;
    this.secrets = secrets;
    this.problems = problems;
  }

  /** What the file sets, by the names that Spring's binder uses. */
  Map<String, String> values() {
    return values;
  }

  /** Where each key is, by its path. */
  Map<String, Place> places() {
    return places;
  }

  /** The files with secrets that every user of this host may read. */
  Set<Path> readableByAll() {
    return readableByAll;
  }

  void read(MappingNode root, Class<?> type) {
    record(root, type, Place.root(root.getStartMark()));
  }

  private void record(Node node, Class<?> type, Place place) {
    places.put(place.path(), place);
    if (!(node instanceof MappingNode mapping)) {
      problems.add(place.problem("needs keys below it: " + String.join(", ", names(type))));
      return;
    }
    Map<String, Key> keys = new LinkedHashMap<>();
    Key.of(type).forEach(key -> keys.put(key.name(), key));
    Set<String> seen = new LinkedHashSet<>();
    for (NodeTuple entry : mapping.getValue()) {
      String name = name(entry.getKeyNode(), place, seen);
      if (name == null) {
        continue;
      }
      Place at = place.key(name, entry.getKeyNode().getStartMark());
      Key key = keys.get(name);
      Key inFile = inFile(name, keys);
      if (key != null) {
        value(entry.getValueNode(), key, at);
      } else if (inFile != null) {
        secretInFile(entry.getValueNode(), inFile, place.key(inFile.name(), at.mark()), at);
      } else {
        problems.add(at.problem("unknown key. " + Nearest.suggestion(name, names(type))));
      }
    }
    keys.values().forEach(key -> complete(key, seen, place));
  }

  private void complete(Key key, Set<String> seen, Place place) {
    boolean inFile = key.secret() && seen.contains(key.name() + Key.IN_FILE);
    if (inFile && seen.contains(key.name())) {
      problems.add(
          place
              .key(key.name(), place(place, key).mark())
              .problem("has a value and also a file: remove one of them"));
    }
    if (key.required() && !seen.contains(key.name()) && !inFile) {
      problems.add(place.problem(key.name() + " is missing" + hint(key)));
    }
  }

  private Place place(Place parent, Key key) {
    return places.getOrDefault(parent.key(key.name(), parent.mark()).path(), parent);
  }

  private static String hint(Key key) {
    return switch (key.name()) {
      case "environment" -> ": set it to where this runs, for example production";
      case "databases" -> ": name at least one database";
      case "destinations" -> ": name at least one destination";
      case "types" -> ": name the types that are routed here, or \"*\" for all";
      case "servers", "addresses" -> ": name one or more brokers, as host:port";
      default -> "";
    };
  }

  private static @Nullable Key inFile(String name, Map<String, Key> keys) {
    if (!name.endsWith(Key.IN_FILE)) {
      return null;
    }
    Key key = keys.get(name.substring(0, name.length() - Key.IN_FILE.length()));
    return key != null && key.secret() ? key : null;
  }

  /** The names of all keys that a part of the file may have. */
  static Set<String> names(Class<?> type) {
    Set<String> names = new TreeSet<>();
    for (Key key : Key.of(type)) {
      names.add(key.name());
      if (key.secret()) {
        names.add(key.name() + Key.IN_FILE);
      }
    }
    return names;
  }

  /** Returns null, and reports the problem, if a key is not a name or is there twice. */
  private @Nullable String name(Node node, Place parent, Set<String> seen) {
    if (!(node instanceof ScalarNode scalar) || !ENTRY.matcher(scalar.getValue()).matches()) {
      problems.add(parent.entry("?", node.getStartMark()).problem("is not the name of a key"));
      return null;
    }
    if (!seen.add(scalar.getValue())) {
      problems.add(
          parent.key(scalar.getValue(), node.getStartMark()).problem("is here twice: remove one"));
      return null;
    }
    return scalar.getValue();
  }

  private void value(Node node, Key key, Place place) {
    places.put(place.path(), place);
    if (key.isPart()) {
      record(node, key.type(), place);
    } else if (key.isMap()) {
      map(node, key, place);
    } else if (key.isList()) {
      list(node, key, place);
    } else {
      scalar(node, key, key.type(), place);
    }
  }

  private void map(Node node, Key key, Place place) {
    if (!(node instanceof MappingNode mapping) || mapping.getValue().isEmpty()) {
      problems.add(place.problem("needs names below it, each with its own value"));
      return;
    }
    Set<String> seen = new LinkedHashSet<>();
    for (NodeTuple entry : mapping.getValue()) {
      String name = name(entry.getKeyNode(), place, seen);
      if (name == null) {
        continue;
      }
      Place at = place.entry(name, entry.getKeyNode().getStartMark());
      places.put(at.path(), at);
      if (Key.isPart(key.element())) {
        record(entry.getValueNode(), key.element(), at);
      } else {
        scalar(entry.getValueNode(), key, key.element(), at);
      }
    }
  }

  private void list(Node node, Key key, Place place) {
    if (node instanceof SequenceNode sequence) {
      if (sequence.getValue().isEmpty() && key.required()) {
        problems.add(place.problem("is empty" + hint(key)));
      }
      int index = 0;
      for (Node element : sequence.getValue()) {
        scalar(element, key, key.element(), place.element(index++, element.getStartMark()));
      }
    } else if (node instanceof ScalarNode) {
      scalar(node, key, key.element(), place.element(0, place.mark()));
    } else {
      problems.add(place.problem("must be a list, such as [one, other]"));
    }
  }

  private void scalar(Node node, Key key, Class<?> type, Place place) {
    text(node, place)
        .ifPresent(
            raw -> replaced(raw, place).ifPresent(text -> check(key, raw, text, type, place)));
  }

  /** Returns nothing, and reports the problems, if not every variable could be replaced. */
  private Optional<String> replaced(String raw, Place place) {
    Variables.Replaced replaced = variables.replace(raw);
    replaced.problems().forEach(problem -> problems.add(place.problem(problem)));
    return replaced.problems().isEmpty() ? Optional.of(replaced.text()) : Optional.empty();
  }

  private void check(Key key, String raw, String text, Class<?> type, Place place) {
    Optional<String> problem =
        text.contains("${") ? Optional.of(INNER_VARIABLE) : Values.problem(key.name(), text, type);
    // What is shown is what the file says, never what a variable holds.
    String shown = key.secret() ? "the value" : "'" + raw + "'";
    problem.ifPresent(why -> problems.add(place.problem(shown + " " + why)));
    if (problem.isPresent()) {
      return;
    }
    if (key.isFile()) {
      file(key, text, place);
    } else {
      values.put(place.property(), text);
    }
  }

  private void file(Key key, String name, Place place) {
    Optional<Path> file = secrets.path(name);
    if (file.isEmpty()) {
      problems.add(place.problem("is not the name of a file"));
      return;
    }
    values.put(place.property(), file.get().toString());
    if (key.name().equals("private-key")) {
      noteRights(file.get());
    }
  }

  private void noteRights(Path secret) {
    if (SecretFile.readableByAll(secret)) {
      readableByAll.add(secret);
    }
  }

  private Optional<String> text(Node node, Place place) {
    if (!(node instanceof ScalarNode scalar)) {
      problems.add(place.problem("must be a single value"));
      return Optional.empty();
    }
    if (scalar.getTag().equals(Tag.NULL) || scalar.getValue().isEmpty()) {
      problems.add(place.problem("has no value: write one, or remove the key"));
      return Optional.empty();
    }
    return Optional.of(scalar.getValue());
  }

  private void secretInFile(Node node, Key key, Place place, Place at) {
    places.put(place.path(), place);
    Optional<String> name = text(node, at).flatMap(raw -> replaced(raw, at));
    if (name.isEmpty()) {
      return;
    }
    Optional<Path> file = secrets.path(name.get());
    Optional<String> content = file.flatMap(SecretFile::text);
    if (content.isEmpty()) {
      problems.add(
          at.problem("the file cannot be read, or is empty. Check its name and its rights"));
    }
    content.ifPresent(text -> secret(text, key, place, at));
    file.ifPresent(this::noteRights);
  }

  private void secret(String text, Key key, Place place, Place at) {
    Mark mark = at.mark();
    if (text.contains("${")) {
      problems.add(at.problem("the file " + INNER_VARIABLE));
      return;
    }
    if (key.isMap()) {
      try {
        SecretFile.properties(text)
            .forEach((name, one) -> values.put(place.entry(name, mark).property(), one));
      } catch (IllegalArgumentException e) {
        problems.add(at.problem("the file is not in the format of Java's properties"));
      }
    } else if (key.isList()) {
      int index = 0;
      for (String line : SecretFile.lines(text)) {
        values.put(place.element(index++, mark).property(), line);
      }
    } else {
      values.put(place.property(), text);
    }
  }
}
