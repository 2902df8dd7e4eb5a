package io.posthorn.server.file;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Reads secrets from files beside the server's file, as container platforms and systemd provide
 * them.
 *
 * @param directory what relative names are relative to
 */
record SecretFile(Path directory) {

  /** Returns the file of this name, or nothing if no file can have it. */
  Optional<Path> path(String name) {
    try {
      return Optional.of(directory.resolve(name));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  /** Returns the content without the line break at its end, or nothing if it cannot be read. */
  static Optional<String> text(Path file) {
    try {
      String text = Files.readString(file).stripTrailing();
      return text.isEmpty() ? Optional.empty() : Optional.of(text);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Whether every user of this host may read it; false where files have no such rights. */
  static boolean readableByAll(Path file) {
    try {
      return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /** Splits a content with one value per line. */
  static List<String> lines(String text) {
    return text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
  }

  /** Reads a content in the format of Java's properties. */
  static TreeMap<String, String> properties(String text) {
    Properties read = new Properties();
    try {
      read.load(new StringReader(text));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    TreeMap<String, String> values = new TreeMap<>();
    read.stringPropertyNames().forEach(name -> values.put(name, read.getProperty(name)));
    return values;
  }
}
