package io.posthorn.json;

import io.posthorn.core.message.PayloadMapper;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes events as JSON with Jackson, and reads them again. It ignores properties that the class
 * does not have, so that a sender can add one before its receivers know it, and writes times as ISO
 * 8601 texts.
 */
public final class JsonPayloads implements PayloadMapper {
  private final JsonMapper mapper;

  /**
   * Uses Jackson's defaults, which do what this class promises, and its modules on the class path,
   * for example {@code jackson-module-kotlin}.
   */
  public JsonPayloads() {
    this(JsonMapper.builder().findAndAddModules().build());
  }

  /** Uses a mapper of yours. */
  public JsonPayloads(JsonMapper mapper) {
    this.mapper = mapper;
  }

  @Override
  public byte[] write(Object event) {
    return mapper.writeValueAsBytes(event);
  }

  @Override
  public @Nullable Object read(byte[] payload, Class<?> eventClass) {
    return mapper.readValue(payload, eventClass);
  }
}
