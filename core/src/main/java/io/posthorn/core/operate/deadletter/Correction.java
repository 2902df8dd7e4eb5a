package io.posthorn.core.operate.deadletter;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.JsonSyntax;
import io.posthorn.core.message.Limits;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadCipher;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Checks a corrected payload as {@code Outbox.add} checks an original one, and encrypts it if the
 * original is encrypted.
 *
 * @param types the registered types; null if they are not known here
 */
record Correction(@Nullable MessageTypes types, Limits limits, PayloadCipher cipher) {
  /** Returns what the store has to do; throws if the payload must not be sent. */
  Requeue of(DeadLetterDetail letter, Requeue how, byte[] payload) {
    Message corrected = letter.message().withPayload(payload);
    UUID id = letter.letter().id();
    if (how.checked()) {
      check(id, corrected);
    }
    String key = letter.cipherKey();
    if (key == null) {
      return how;
    }
    if (cipher == PayloadCipher.NONE) {
      throw refused(
          ErrorCode.CIPHER_MISSING,
          id,
          "the stored payload is encrypted with key '%s' and no cipher is configured here. Requeue it where the application's cipher is configured, or without a corrected payload"
              .formatted(key));
    }
    return how.encrypted(cipher.encrypt(corrected, key), key);
  }

  private void check(UUID id, Message corrected) {
    if (corrected.payload().length > limits.payloadBytes()) {
      throw refused(
          ErrorCode.PAYLOAD_TOO_LARGE,
          id,
          "it has %,d bytes and the limit is %,d. Shorten it, or skip this check: --no-check, in Java Requeue.unchecked()"
              .formatted(corrected.payload().length, limits.payloadBytes()));
    }
    if (JsonSyntax.isNamedBy(corrected.contentType()) && !JsonSyntax.isValid(corrected.payload())) {
      throw refused(
          ErrorCode.INVALID_MESSAGE,
          id,
          "the content type is %s but it is not valid JSON in UTF-8. Correct it, or skip this check: --no-check, in Java Requeue.unchecked()"
              .formatted(corrected.contentType()));
    }
    if (types == null) {
      return;
    }
    if (!types.contains(corrected.type())) {
      throw refused(
          ErrorCode.TYPE_NOT_REGISTERED,
          id,
          "type '%s' is not registered here, so the payload cannot be checked. Add the type to MessageTypes, or skip this check: --no-check, in Java Requeue.unchecked()"
              .formatted(corrected.type()));
    }
    types
        .problemWith(corrected)
        .ifPresent(
            problem -> {
              throw refused(
                  ErrorCode.REFUSED_BY_VALIDATOR,
                  id,
                  "%s. Correct it; the check is registered with type '%s'"
                      .formatted(problem, corrected.type()));
            });
  }

  private static PosthornException refused(ErrorCode code, UUID letter, String why) {
    return new PosthornException(
        code,
        "dead letter %s was not requeued, because of the corrected payload: %s."
            .formatted(letter, why));
  }
}
