package io.posthorn.core.operate.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.message.PayloadSchemas;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ReadingTest {
  private static final PayloadSchemas ANY =
      new PayloadSchemas() {
        @Override
        public boolean has(String type, int schemaVersion) {
          return true;
        }

        @Override
        public Optional<String> problemWith(Message message) {
          return Optional.empty();
        }
      };

  /** A cipher that has lost its keys. */
  private static final PayloadCipher BROKEN =
      new PayloadCipher() {
        @Override
        public String keyId(Message message) {
          return "key-1";
        }

        @Override
        public byte[] encrypt(Message message, String keyId) {
          return message.payload();
        }

        @Override
        public byte[] decrypt(Message message, String keyId) {
          throw new IllegalStateException("the key was deleted");
        }
      };

  private static DeadLetterDetail encrypted() {
    Message message = Message.of("Placed").build();
    Instant now = Instant.EPOCH;
    DeadLetter letter =
        new DeadLetter(
            UUID.randomUUID(),
            "mail",
            message.id(),
            message.type(),
            null,
            DeadLetter.State.DEAD,
            "REJECTED",
            "REJECTED",
            "no",
            1,
            now,
            now,
            now,
            "f",
            0,
            null,
            null,
            null,
            null);
    return new DeadLetterDetail(letter, message, "key-1", now, null, List.of(), null, null, 0);
  }

  private final Reading reading = new Reading(MessageTypes.named("Placed").schemas(ANY), BROKEN);

  @Test
  void a_payload_that_cannot_be_decrypted_is_a_problem_of_its_letter_alone() {
    assertThat(reading.schemaProblem(encrypted()))
        .contains("the payload could not be decrypted with key 'key-1': the key was deleted");
  }

  @Test
  void the_preview_of_a_payload_that_cannot_be_decrypted_says_so() {
    assertThat(reading.preview(encrypted(), null).problems())
        .containsExactly(
            "the payload could not be decrypted with key 'key-1': the key was deleted");
  }
}
