package io.posthorn.core;

import io.posthorn.core.message.PayloadMapper;
import java.util.Optional;
import java.util.ServiceLoader;

/** The payload mapper on the class path. */
final class FoundMapper {
  private FoundMapper() {}

  static Optional<PayloadMapper> find() {
    return ServiceLoader.load(PayloadMapper.class, Posthorn.class.getClassLoader()).findFirst();
  }
}
