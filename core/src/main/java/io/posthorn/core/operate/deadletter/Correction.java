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
 * Looks at a payload that a person has corrected as {@code Outbox.add} looked at the first one, and
 * encrypts it as that one is.
 *
 * @param types none = what the types are is not known here
 */
record Correction(@Nullable MessageTypes types, Limits limits, PayloadCipher cipher) {
  /** What the store is to do; throws if the payload is not to be sent. */
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
          "the stored payload is encrypted with key '%s' and here is no cipher. Requeue it where the application's cipher is configured, or as it is"
              .formatted(key));
    }
    return how.encrypted(cipher.encrypt(corrected, key), key);
  }

  private void check(UUID id, Message corrected) {
    if (corrected.payload().length > limits.payloadBytes()) {
      throw refused(
          ErrorCode.PAYLOAD_TOO_LARGE,
          id,
          "it has %,d bytes and the limit is %,d. Shorten it, or take it as it is: --no-check, in Java Requeue.unchecked()"
              .formatted(corrected.payload().length, limits.payloadBytes()));
    }
    if (JsonSyntax.isNamedBy(corrected.contentType()) && !JsonSyntax.isValid(corrected.payload())) {
      throw refused(
          ErrorCode.INVALID_MESSAGE,
          id,
          "the content type is %s and it is not valid JSON in UTF-8. Correct it, or take it as it is: --no-check, in Java Requeue.unchecked()"
              .formatted(corrected.contentType()));
    }
    if (types == null) {
      return;
    }
    if (!types.contains(corrected.type())) {
      throw refused(
          ErrorCode.TYPE_NOT_REGISTERED,
          id,
          "type '%s' is not registered here, so nobody can check it. Add it to MessageTypes, or take it as it is: --no-check, in Java Requeue.unchecked()"
              .formatted(corrected.type()));
    }
    types
        .problemWith(corrected)
        .ifPresent(
            problem -> {
              throw refused(
                  ErrorCode.REFUSED_BY_VALIDATOR,
                  id,
                  "%s. Correct it; the check is the one registered for type '%s'"
                      .formatted(problem, corrected.type()));
            });
  }

  private static PosthornException refused(ErrorCode code, UUID letter, String why) {
    return new PosthornException(
        code,
        "letter %s was not requeued, because of the corrected payload: %s.".formatted(letter, why));
  }
}
