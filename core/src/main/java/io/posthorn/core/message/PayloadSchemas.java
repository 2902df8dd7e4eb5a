package io.posthorn.core.message;

import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Checks payloads against the schemas of their types and versions: when they are added, corrected
 * and requeued, and before a handler gets them. {@code posthorn-json-schema} brings one for JSON;
 * programs find it as a service.
 */
public interface PayloadSchemas extends Validator {
  /** Has no schemas. */
  PayloadSchemas NONE =
      new PayloadSchemas() {
        @Override
        public boolean has(String type, int schemaVersion) {
          return false;
        }

        @Override
        public Optional<String> problemWith(Message message) {
          return Optional.empty();
        }
      };

  /** Returns the schemas that the class path brings, or {@link #NONE}. */
  static PayloadSchemas found() {
    return ServiceLoader.load(PayloadSchemas.class, PayloadSchemas.class.getClassLoader())
        .findFirst()
        .orElse(NONE);
  }

  /**
   * Whether there is a schema for this version of the type.
   *
   * @throws io.posthorn.core.error.PosthornException if there is one that cannot be used
   */
  boolean has(String type, int schemaVersion);

  /**
   * Returns where the payload does not match its schema, without values of the payload; empty if it
   * matches, or if there is no schema for its version.
   */
  @Override
  Optional<String> problemWith(Message message);
}
