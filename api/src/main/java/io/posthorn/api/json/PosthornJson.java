package io.posthorn.api.json;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.http.MediaType;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Reads requests and writes answers of Posthorn, whatever the application around it does with its
 * own JSON. It is strict: unknown names, wrong types and deep nesting are errors.
 */
public final class PosthornJson extends JacksonJsonHttpMessageConverter {
  private static final int DEEPEST = 50;
  private static final int LONGEST_NUMBER = 40;
  private static final String OURS = "io.posthorn.";

  /** The mapper of all requests and answers. */
  public static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEEPEST)
                          .maxNumberLength(LONGEST_NUMBER)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(tools.jackson.core.StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .addModule(new SimpleModule().addDeserializer(String.class, new StrictText()))
          .build();

  /** Creates the converter. */
  public PosthornJson() {
    super(MAPPER);
    setDefaultCharset(StandardCharsets.UTF_8);
  }

  @Override
  public boolean canRead(ResolvableType type, @Nullable MediaType mediaType) {
    return isOurs(type.toClass()) && super.canRead(type, mediaType);
  }

  @Override
  public boolean canWrite(ResolvableType type, Class<?> valueClass, @Nullable MediaType mediaType) {
    return isOurs(valueClass) && super.canWrite(type, valueClass, mediaType);
  }

  private static boolean isOurs(Class<?> type) {
    return type.getName().startsWith(OURS);
  }
}
