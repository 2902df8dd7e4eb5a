package io.posthorn.server.file;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.springframework.util.unit.DataSize;

/** Writes what can be written about the file's keys from the model: the page and the schema. */
final class Reference {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final String DURATION = "duration";

  private final Descriptions descriptions;

  Reference(Descriptions descriptions) {
    this.descriptions = descriptions;
  }

  // ---- the page ----

  String page() throws IOException {
    StringBuilder page =
        new StringBuilder(
            """
            # The server's file

            Every key of the file that `posthorn server --config FILE` reads. `NAME` is a name of your choice. The
            [guide](../guide/server.md) shows how to run the server. Editors check a file while you write it if it begins
            with `# yaml-language-server: $schema=`, followed by the path or address of
            [posthorn.schema.json](posthorn.schema.json).

            - A duration is a number and its unit: `500ms`, `10s`, `5m`, `1h`, `7d`. A size is one, too: `512KB`, `8MB`.
            - `${NAME}` in a value is replaced by the environment variable `NAME`, which must be set.
            - A **secret** may be in a file instead: add `-file` to its key, and write the name of the file. A list has one
              value per line, and `client-file` has the format of Java's properties.
            - A relative name of a file is relative to the directory of the server's file. This holds for secrets, and for
              `trust`, `certificate` and `private-key` of `tls-bundles`.
            - A list with one value may be written as the value.

            This page is generated from the code; see `ReferenceTest`.
            """);
    part(page, "Top level", "", ServerFile.class);
    return page.toString();
  }

  private void part(StringBuilder page, String title, String prefix, Class<?> type)
      throws IOException {
    page.append(
        "\n## %s\n\n| key | value | default | meaning |\n|---|---|---|---|\n".formatted(title));
    for (Key key : Key.of(type)) {
      page.append(
          "| `%s` | %s | %s | %s |\n"
              .formatted(key.name(), kind(key), shownDefault(key), descriptions.of(key)));
    }
    for (Key key : Key.of(type)) {
      Class<?> below = below(key);
      if (below != null) {
        String path = prefix + key.name() + (key.isMap() ? ".NAME" : "");
        part(page, "`" + path + "`", path + ".", below);
      }
    }
  }

  private static Class<?> below(Key key) {
    if (key.isPart()) {
      return key.type();
    }
    return key.isMap() && Key.isPart(key.element()) ? key.element() : null;
  }

  private static String shownDefault(Key key) {
    if (key.required()) {
      return "**required**";
    }
    return key.defaults().isEmpty() || key.isPart()
        ? ""
        : "`" + String.join(", ", key.defaults()) + "`";
  }

  private static String kind(Key key) {
    String kind;
    if (below(key) != null) {
      kind = key.isMap() ? "names, each with the keys below" : "the keys below";
    } else if (key.isMap()) {
      kind = "names and values";
    } else if (key.isList()) {
      kind = "list";
    } else {
      kind = simple(key.type());
    }
    return key.secret() ? kind + "; **secret**" : kind;
  }

  private static String simple(Class<?> type) {
    if (type.isEnum()) {
      return "`" + String.join("`, `", Values.names(type)) + "`";
    }
    if (type == Duration.class) {
      return DURATION;
    }
    if (type == DataSize.class) {
      return "size";
    }
    return switch (type.getSimpleName()) {
      case "boolean", "Boolean" -> "`true`, `false`";
      case "int", "Integer" -> "whole number";
      case "double", "Double" -> "number";
      default -> "text";
    };
  }

  // ---- the schema ----

  String schema() throws IOException {
    ObjectNode schema = JSON.createObjectNode();
    schema.put("$schema", "http://json-schema.org/draft-07/schema#");
    schema.put("title", "The file of posthorn server");
    schema.setAll(object(ServerFile.class));
    return JSON.writeValueAsString(schema) + "\n";
  }

  private ObjectNode object(Class<?> type) throws IOException {
    ObjectNode object = JSON.createObjectNode();
    object.put("type", "object");
    object.put("additionalProperties", false);
    ObjectNode properties = object.putObject("properties");
    ArrayNode required = JSON.createArrayNode();
    for (Key key : Key.of(type)) {
      properties.set(key.name(), described(key));
      if (key.secret()) {
        properties
            .putObject(key.name() + Key.IN_FILE)
            .put("type", "string")
            .put("description", "name of the file that has: " + descriptions.of(key));
      }
      if (key.required() && !key.secret()) {
        required.add(key.name());
      }
    }
    if (!required.isEmpty()) {
      object.set("required", required);
    }
    return object;
  }

  private ObjectNode described(Key key) throws IOException {
    ObjectNode node = JSON.createObjectNode();
    node.put("description", descriptions.of(key));
    if (key.isPart()) {
      node.setAll(object(key.type()));
    } else if (key.isMap()) {
      node.put("type", "object");
      node.set(
          "additionalProperties",
          Key.isPart(key.element()) ? object(key.element()) : scalar(key.element()));
    } else if (key.isList()) {
      ArrayNode forms = node.putArray("anyOf");
      forms.add(scalar(key.element()));
      ObjectNode list = forms.addObject().put("type", "array");
      list.set("items", scalar(key.element()));
    } else {
      node.setAll(scalar(key.type()));
      if (!key.defaults().isEmpty()) {
        node.put("default", key.defaults().get(0));
      }
    }
    return node;
  }

  /** A text is always allowed where a variable could stand. */
  private static ObjectNode scalar(Class<?> type) {
    ObjectNode node = JSON.createObjectNode();
    String variable = "\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}";
    Map<Class<?>, String> patterns =
        Map.of(
            Duration.class, "^([0-9]+(ns|us|ms|s|m|h|d)|P.+|.*" + variable + ".*)$",
            DataSize.class, "^([0-9]+(B|KB|MB|GB|TB)|.*" + variable + ".*)$");
    if (type.isEnum()) {
      ArrayNode forms = node.putArray("anyOf");
      ArrayNode values = forms.addObject().putArray("enum");
      Values.names(type).forEach(values::add);
      forms.addObject().put("type", "string").put("pattern", variable);
    } else if (patterns.containsKey(type)) {
      node.put("type", "string").put("pattern", patterns.get(type));
    } else if (type == boolean.class || type == Boolean.class) {
      node.putArray("type").add("boolean").add("string");
    } else if (type == int.class || type == Integer.class) {
      node.putArray("type").add("integer").add("string");
    } else if (type == double.class || type == Double.class) {
      node.putArray("type").add("number").add("string");
    } else {
      node.putArray("type").add("string").add("number").add("boolean");
    }
    return node;
  }
}
