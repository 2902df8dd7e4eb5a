package io.posthorn.core;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.PayloadMapper;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The payload mapper on the class path, looked up when it is first needed. */
final class FoundMapper implements PayloadMapper {
  static final FoundMapper INSTANCE = new FoundMapper();

  private volatile @Nullable PayloadMapper found;

  private FoundMapper() {}

  @Override
  public byte[] write(Object event) throws Exception {
    return mapper().write(event);
  }

  @Override
  public @Nullable Object read(byte[] payload, Class<?> eventClass) throws Exception {
    return mapper().read(payload, eventClass);
  }

  private PayloadMapper mapper() {
    PayloadMapper mapper = found;
    if (mapper == null) {
      mapper =
          ServiceLoader.load(PayloadMapper.class, FoundMapper.class.getClassLoader())
              .findFirst()
              .orElseThrow(
                  () ->
                      new PosthornException(
                          ErrorCode.CONFIGURATION,
                          "an event was not converted: no payload mapper is on the class path. Add posthorn-json, or set payloads(mapper::writeValueAsBytes, mapper::readValue)."));
      found = mapper;
    }
    return mapper;
  }
}
