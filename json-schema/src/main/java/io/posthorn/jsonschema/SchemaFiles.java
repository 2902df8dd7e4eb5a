package io.posthorn.jsonschema;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * Reads schemas from the class path. They are of draft 2020-12 unless {@code $schema} says more.
 */
final class SchemaFiles {
  private static final String FOLDER = "posthorn/schemas/";

  private final SchemaRegistry registry =
      SchemaRegistry.withDefaultDialect(
          SpecificationVersion.DRAFT_2020_12,
          builder ->
              builder.schemaLoader(
                  loader ->
                      loader
                          .fetchRemoteResources(false)
                          .resourceLoaders(
                              all ->
                                  all.add(
                                      iri -> {
                                        String name = iri.toString();
                                        return name.startsWith("classpath:" + FOLDER)
                                            ? () -> open(name.substring("classpath:".length()))
                                            : null;
                                      }))));

  /** Reads the schema of this version; empty if there is no file for it. */
  Optional<Schema> load(String type, int version) {
    // A received type could try to leave the folder.
    if (List.of(type.split("/", -1)).contains("..")) {
      return Optional.empty();
    }
    String file = file(type, version);
    try (InputStream in = open(file)) {
      return in == null
          ? Optional.empty()
          : Optional.of(
              parse(type, version, new String(in.readAllBytes(), StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw unusable(file, "it cannot be read", e);
    }
  }

  Schema parse(String type, int version, String text) {
    String file = file(type, version);
    try {
      Json.MAPPER.readTree(text);
      Schema schema =
          registry.getSchema(SchemaLocation.of("classpath:" + file), text, InputFormat.JSON);
      schema.initializeValidators();
      return schema;
    } catch (JacksonException | SchemaException e) {
      throw unusable(file, "see the cause", e);
    }
  }

  private static String file(String type, int version) {
    return FOLDER + type + "." + version + ".json";
  }

  private static @Nullable InputStream open(String file) {
    ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
    InputStream in = ofThread == null ? null : ofThread.getResourceAsStream(file);
    return in != null ? in : SchemaFiles.class.getClassLoader().getResourceAsStream(file);
  }

  private static PosthornException unusable(String file, String why, Throwable cause) {
    return new PosthornException(
        ErrorCode.CONFIGURATION,
        "the schema /%s was not loaded: %s. Correct it; its references may only lead to schemas in /%s."
            .formatted(file, why, FOLDER.substring(0, FOLDER.length() - 1)),
        cause);
  }
}
