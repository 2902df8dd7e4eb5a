package io.posthorn.core.operate.deadletter;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.message.PayloadSchemas;
import io.posthorn.core.message.SchemaVersions;
import io.posthorn.core.message.UnreadablePayloadException;
import io.posthorn.core.message.UpcastException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the payload of a dead letter as the handlers of this program would. */
record Reading(MessageTypes types, PayloadCipher cipher) {
  RequeuePreview preview(DeadLetterDetail letter, byte @Nullable [] corrected) {
    List<String> problems = new ArrayList<>();
    Message written;
    if (corrected != null) {
      written = letter.message().withPayload(corrected);
    } else if (letter.cipherKey() == null || cipher != PayloadCipher.NONE) {
      try {
        written = decrypted(letter);
      } catch (RuntimeException e) {
        problems.add(undecryptable(letter, e));
        return new RequeuePreview(letter.message(), null, problems);
      }
    } else {
      problems.add(
          "the payload is encrypted with key '%s', and no cipher is configured here"
              .formatted(letter.cipherKey()));
      return new RequeuePreview(letter.message(), null, problems);
    }
    types.problemWith(written).ifPresent(problems::add);
    return new RequeuePreview(written, read(written, problems), problems);
  }

  private Message decrypted(DeadLetterDetail letter) {
    String key = letter.cipherKey();
    Message stored = letter.message();
    return key == null ? stored : stored.withPayload(cipher.decrypt(stored, key));
  }

  /** The message in the version that handlers read; null, with a problem, if that is impossible. */
  @Nullable Message read(Message written, List<String> problems) {
    SchemaVersions versions = types.versions();
    int wanted = types.versionOf(written.type());
    Optional<String> unreadable =
        versions.problemWith(written.type(), written.schemaVersion(), wanted);
    if (unreadable.isPresent()) {
      problems.add(unreadable.get());
      return null;
    }
    Message read;
    try {
      read = versions.upcast(written, wanted);
    } catch (UnreadablePayloadException e) {
      problems.add(Sanitiser.text(e));
      return null;
    } catch (UpcastException e) {
      problems.add(Reason.UPCAST_FAILED + ": " + Sanitiser.text(e));
      return null;
    }
    if (read.schemaVersion() != written.schemaVersion()) {
      types
          .schemas()
          .problemWith(read)
          .ifPresent(
              problem ->
                  problems.add(
                      "after the upcasters to version %d, %s"
                          .formatted(read.schemaVersion(), problem)));
    }
    return read;
  }

  /** Why the stored payload does not match its schema; empty if it does, or if nothing is known. */
  Optional<String> schemaProblem(DeadLetterDetail letter) {
    boolean unknown = letter.cipherKey() != null && cipher == PayloadCipher.NONE;
    if (unknown || types.schemas() == PayloadSchemas.NONE) {
      return Optional.empty();
    }
    Message written;
    try {
      written = decrypted(letter);
    } catch (RuntimeException e) {
      return Optional.of(undecryptable(letter, e));
    }
    return types.schemas().problemWith(written);
  }

  private static String undecryptable(DeadLetterDetail letter, RuntimeException thrown) {
    return "the payload could not be decrypted with key '%s': %s"
        .formatted(letter.cipherKey(), Sanitiser.text(thrown));
  }
}
