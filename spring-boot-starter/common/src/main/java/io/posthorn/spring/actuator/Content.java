package io.posthorn.spring.actuator;

import io.posthorn.core.message.Message;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of a message. Payload and headers are there only if the application allows it.
 *
 * @param encrypted whether the payload is stored encrypted; it is not decrypted here
 * @param headers null if they are not shown
 * @param payload as text, or in Base64 if it is no text; null if it is not shown
 */
record Content(
    String contentType,
    int schemaVersion,
    int bytes,
    boolean encrypted,
    @Nullable Map<String, String> headers,
    @Nullable String payload,
    @Nullable Boolean base64) {

  static Content of(Message message, @Nullable String cipherKey, boolean shown) {
    byte[] payload = message.payload();
    String text = shown && cipherKey == null ? text(payload) : null;
    return new Content(
        message.contentType(),
        message.schemaVersion(),
        payload.length,
        cipherKey != null,
        shown ? message.headers() : null,
        !shown ? null : text == null ? Base64.getEncoder().encodeToString(payload) : text,
        shown ? text == null : null);
  }

  /** Returns null if the bytes are no text. */
  private static @Nullable String text(byte[] payload) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(payload)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }
}
