package io.posthorn.jsonschema;

import com.networknt.schema.Schema;
import io.posthorn.core.message.JsonSyntax;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.PayloadSchemas;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * A JSON Schema for each version of a type, by default from files of the class path: {@code
 * /posthorn/schemas/OrderPlaced.1.json} is the schema of version 1 of {@code OrderPlaced}.
 *
 * <p>It is found as a service: with this module on the class path, payloads are checked when they
 * are added, corrected, requeued and handled. A version without a schema is not checked. References
 * lead to the same file or to other files of that folder; nothing is loaded from the network.
 */
public final class JsonSchemas implements PayloadSchemas {
  /** Bounds what is remembered as without a schema, because others choose received types. */
  private static final int MOST_REMEMBERED = 1_000;

  private final SchemaFiles files;
  private final Map<TypeVersion, String> given;
  private final Map<TypeVersion, Optional<Schema>> loaded = new ConcurrentHashMap<>();

  private record TypeVersion(String type, int version) {}

  /** The schemas on the class path of this module, or of the current thread. */
  public JsonSchemas() {
    this(new SchemaFiles(), Map.of());
  }

  private JsonSchemas(SchemaFiles files, Map<TypeVersion, String> given) {
    this.files = files;
    this.given = given;
  }

  /** Returns these schemas with one more, which is used in place of a file. */
  public JsonSchemas with(String type, int schemaVersion, String schema) {
    Map<TypeVersion, String> more = new HashMap<>(given);
    more.put(new TypeVersion(type, schemaVersion), schema);
    return new JsonSchemas(files, Map.copyOf(more));
  }

  @Override
  public boolean has(String type, int schemaVersion) {
    return schema(type, schemaVersion) != null;
  }

  @Override
  public Optional<String> problemWith(Message message) {
    Schema schema = schema(message.type(), message.schemaVersion());
    if (schema == null) {
      return Optional.empty();
    }
    return problem(schema, message)
        .map(
            problem ->
                "the payload does not match the schema of version %d of '%s': %s"
                    .formatted(message.schemaVersion(), message.type(), problem));
  }

  private static Optional<String> problem(Schema schema, Message message) {
    if (!JsonSyntax.isNamedBy(message.contentType())) {
      return Optional.of("its content type is %s, not JSON".formatted(message.contentType()));
    }
    JsonNode payload;
    try {
      payload = Json.MAPPER.readTree(message.payload());
    } catch (JacksonException e) {
      // The exception's text could quote the payload.
      return Optional.of("it is not valid JSON, or repeats a name");
    }
    return Mismatches.of(schema.validate(payload));
  }

  private @Nullable Schema schema(String type, int version) {
    TypeVersion key = new TypeVersion(type, version);
    Optional<Schema> known = loaded.get(key);
    if (known == null) {
      String text = given.get(key);
      known =
          text == null ? files.load(type, version) : Optional.of(files.parse(type, version, text));
      // Schemas are bounded by the files that exist, and compiling one is expensive.
      if (known.isPresent() || loaded.size() < MOST_REMEMBERED) {
        loaded.put(key, known);
      }
    }
    return known.orElse(null);
  }
}
