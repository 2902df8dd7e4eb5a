package io.posthorn.core;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.PayloadMapper;
import java.util.Optional;
import java.util.ServiceLoader;

/** The payload mapper on the class path. */
final class FoundMapper {
  private FoundMapper() {}

  static Optional<PayloadMapper> find() {
    return ServiceLoader.load(PayloadMapper.class, Posthorn.class.getClassLoader()).findFirst();
  }

  static PayloadMapper required() {
    return find()
        .orElseThrow(
            () ->
                new PosthornException(
                    ErrorCode.CONFIGURATION,
                    "Posthorn was not started: an upcaster converts objects, but no payload mapper is on the class path. Add posthorn-json, or set payloads(mapper::writeValueAsBytes, mapper::readValue)."));
  }
}
