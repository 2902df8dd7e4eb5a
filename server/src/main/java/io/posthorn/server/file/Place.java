package io.posthorn.server.file;

import org.yaml.snakeyaml.error.Mark;

/**
 * A key of the file: as people write it, and as Spring's binder names it.
 *
 * @param path for example {@code databases.shop.url}; empty for the whole file
 * @param property for example {@code file.databases[shop].url}
 */
record Place(String path, String property, Mark mark) {
  static Place root(Mark mark) {
    return new Place("", "file", mark);
  }

  /** A key whose name the model knows. */
  Place key(String name, Mark at) {
    return new Place(path.isEmpty() ? name : path + "." + name, property + "." + name, at);
  }

  /** A key whose name the user chose. */
  Place entry(String name, Mark at) {
    return new Place(path + "." + name, "%s[%s]".formatted(property, name), at);
  }

  Place element(int index, Mark at) {
    return new Place("%s[%d]".formatted(path, index), "%s[%d]".formatted(property, index), at);
  }

  Problem problem(String text) {
    return new Problem(mark.getLine() + 1, mark.getColumn() + 1, path, text);
  }
}
