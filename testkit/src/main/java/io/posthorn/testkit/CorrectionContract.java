package io.posthorn.testkit;

import static io.posthorn.testkit.AppendContract.assertRefused;
import static io.posthorn.testkit.Moves.die;
import static io.posthorn.testkit.Moves.sent;
import static io.posthorn.testkit.TestMessages.content;
import static io.posthorn.testkit.TestMessages.message;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.message.Limits;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.message.PayloadSchemas;
import io.posthorn.core.message.UnreadablePayloadException;
import io.posthorn.core.message.Upcast;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.archive.Part;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterDetail;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.deadletter.RequeuePreview;
import io.posthorn.core.operate.deadletter.Rescued;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A payload that a person corrects is checked like the first one, and kept beside it. */
public abstract class CorrectionContract extends Contract {
  private static final Actor ANNA = new Actor("anna", "the price was missing");
  private static final MessageTypes TYPES =
      MessageTypes.of(
          MessageType.named(TestMessages.TYPE)
              .check(
                  message ->
                      content(message).contains("price")
                          ? Optional.empty()
                          : Optional.of("the price is missing")));

  /** Turns the bytes around. */
  private static final PayloadCipher CIPHER =
      new PayloadCipher() {
        @Override
        public String keyId(Message message) {
          return "k1";
        }

        @Override
        public byte[] encrypt(Message message, String keyId) {
          return new StringBuilder(content(message)).reverse().toString().getBytes(UTF_8);
        }

        @Override
        public byte[] decrypt(Message message, String keyId) {
          return encrypt(message, keyId);
        }
      };

  private DeadLetters letters() {
    return DeadLetters.on(db().operator());
  }

  private UUID waiting() {
    List<DeadLetter> all = letters().list(DeadLetterQuery.waiting(), null, 10);
    assertThat(all).hasSize(1);
    return all.get(0).id();
  }

  private DeadLetterDetail detail(UUID id) {
    return letters().find(id).orElseThrow();
  }

  private TestLane dies(Message message) {
    TestLane shop = serve(SHOP);
    commit(message);
    return dies(shop);
  }

  private static TestLane dies(TestLane shop) {
    Batch batch = shop.batch();
    shop.settle(batch, die(only(batch), 1, AfterDead.CONTINUE));
    return shop;
  }

  private static Requeue with(String payload) {
    return Requeue.SAME.withPayload(payload.getBytes(UTF_8));
  }

  @Test
  void a_corrected_payload_is_kept_beside_the_old_one_after_it_was_sent() {
    TestLane shop = dies(message("\"wrong\""));
    UUID letter = waiting();
    assertThat(detail(letter).corrected()).isNull();
    letters().requeue(List.of(letter), with("\"right\""), ANNA);
    Delivery corrected = shop.parked().get(0);
    assertThat(content(corrected.message())).isEqualTo("\"right\"");
    shop.settle(sent(corrected));
    DeadLetterDetail detail = detail(letter);
    assertThat(detail.letter().outcome()).isEqualTo(DeadLetter.Outcome.SENT);
    assertThat(content(detail.message())).isEqualTo("\"wrong\"");
    assertThat(content(Objects.requireNonNull(detail.corrected()))).isEqualTo("\"right\"");
  }

  @Test
  void a_corrected_payload_that_claims_to_be_json_and_is_not_is_refused() {
    dies(message("{"));
    UUID letter = waiting();
    assertRefused(
        ErrorCode.INVALID_MESSAGE,
        () -> letters().requeue(List.of(letter), with("{\"price\":}"), ANNA));
    assertThat(waiting()).isEqualTo(letter);
    letters().requeue(List.of(letter), with("{\"price\":}").unchecked(), ANNA);
    assertThat(content(Objects.requireNonNull(detail(letter).corrected())))
        .isEqualTo("{\"price\":}");
  }

  @Test
  void a_corrected_payload_that_does_not_claim_to_be_json_is_accepted_as_it_is() {
    dies(Message.of(TestMessages.TYPE).payload(new byte[] {1}, "application/x-bytes").build());
    UUID letter = waiting();
    letters().requeue(List.of(letter), Requeue.SAME.withPayload(new byte[] {2}), ANNA);
    assertThat(Objects.requireNonNull(detail(letter).corrected()).payload()).containsExactly(2);
  }

  @Test
  void a_corrected_payload_is_checked_by_the_checks_of_its_type() {
    dies(message("{}"));
    UUID letter = waiting();
    DeadLetters checked = DeadLetters.on(db().operator(), TYPES);
    assertRefused(
        ErrorCode.REFUSED_BY_VALIDATOR,
        () -> checked.requeue(List.of(letter), with("{\"n\":1}"), ANNA));
    assertRefused(
        ErrorCode.TYPE_NOT_REGISTERED,
        () ->
            DeadLetters.on(db().operator(), MessageTypes.named("Another"))
                .requeue(List.of(letter), with("{\"price\":1}"), ANNA));
    assertRefused(
        ErrorCode.PAYLOAD_TOO_LARGE,
        () -> checked.limits(new Limits(5)).requeue(List.of(letter), with("{\"price\":1}"), ANNA));
    assertThat(waiting()).isEqualTo(letter);
    assertThat(db().operator().audit(0, 10)).isEmpty();
    assertThat(checked.requeue(List.of(letter), with("{\"price\":1}"), ANNA).done()).isEqualTo(1);
  }

  @Test
  void a_corrected_payload_is_encrypted_as_the_stored_one_is() {
    TestLane shop = serve(SHOP);
    try (OpenTransaction tx = begin()) {
      Outbox.on(store(), MessageTypes.named(TestMessages.TYPE))
          .cipher(CIPHER)
          .build()
          .add(tx.connection(), message("[1]"));
      tx.commit();
    }
    dies(shop);
    UUID letter = waiting();
    assertRefused(
        ErrorCode.CIPHER_MISSING, () -> letters().requeue(List.of(letter), with("[2]"), ANNA));
    assertRefused(
        ErrorCode.CIPHER_MISSING,
        () -> db().operator().requeue(List.of(letter), with("[2]"), ANNA));
    letters().cipher(CIPHER).requeue(List.of(letter), with("[2]"), ANNA);
    Delivery corrected = shop.parked().get(0);
    assertThat(corrected.cipherKey()).isEqualTo("k1");
    assertThat(content(corrected.message())).isEqualTo("]2[");
    assertThat(content(Objects.requireNonNull(detail(letter).corrected()))).isEqualTo("]2[");
  }

  /** Version 1 has a price and version 2 a total; a price must be a digit. */
  private static final MessageTypes VERSIONS =
      MessageTypes.named(TestMessages.TYPE)
          .upcasting(
              Upcast.of(
                  TestMessages.TYPE,
                  1,
                  2,
                  payload -> {
                    String json = new String(payload, UTF_8);
                    if (!json.contains("price")) {
                      throw new UnreadablePayloadException("it has no price");
                    }
                    return json.replace("price", "total").getBytes(UTF_8);
                  }))
          .schemas(
              new PayloadSchemas() {
                @Override
                public boolean has(String type, int schemaVersion) {
                  return schemaVersion == 1;
                }

                @Override
                public Optional<String> problemWith(Message message) {
                  return message.schemaVersion() == 1 && content(message).contains("text")
                      ? Optional.of("/price (type number)")
                      : Optional.empty();
                }
              });

  private DeadLetters versioned() {
    return DeadLetters.on(db().operator(), VERSIONS);
  }

  @Test
  void a_preview_shows_the_stored_and_the_corrected_payload_as_handlers_read_it() {
    dies(message("{\"price\":1}"));
    UUID letter = waiting();
    RequeuePreview stored = versioned().preview(letter, Requeue.SAME).orElseThrow();
    assertThat(stored.problems()).isEmpty();
    assertThat(stored.written().schemaVersion()).isEqualTo(1);
    assertThat(content(Objects.requireNonNull(stored.read()))).isEqualTo("{\"total\":1}");
    assertThat(stored.read().schemaVersion()).isEqualTo(2);
    RequeuePreview corrected =
        versioned().preview(letter, with("{\"price\":\"text\"}")).orElseThrow();
    assertThat(corrected.problems()).containsExactly("/price (type number)");
    assertThat(content(corrected.written())).isEqualTo("{\"price\":\"text\"}");
    RequeuePreview unreadable = versioned().preview(letter, with("{}")).orElseThrow();
    assertThat(unreadable.read()).isNull();
    assertThat(unreadable.problems()).singleElement().asString().contains("it has no price");
    assertThat(versioned().preview(UUID.randomUUID(), Requeue.SAME)).isEmpty();
    assertThat(waiting()).isEqualTo(letter);
  }

  @Test
  void a_corrected_payload_that_handlers_could_not_read_is_refused() {
    dies(message("{\"price\":\"text\"}"));
    UUID letter = waiting();
    assertRefused(
        ErrorCode.REFUSED_BY_VALIDATOR,
        () -> versioned().requeue(List.of(letter), with("{\"price\":\"text\"}"), ANNA));
    assertRefused(
        ErrorCode.REFUSED_BY_VALIDATOR,
        () -> versioned().requeue(List.of(letter), with("{}"), ANNA));
    assertThat(versioned().requeue(List.of(letter), with("{\"price\":1}"), ANNA).done())
        .isEqualTo(1);
  }

  @Test
  void a_letter_whose_stored_payload_its_schema_refuses_is_requeued_only_unchecked() {
    dies(message("{\"price\":\"text\"}"));
    UUID letter = waiting();
    Rescued refused = versioned().requeue(List.of(letter), Requeue.SAME, ANNA);
    assertThat(refused.done()).isZero();
    assertThat(refused.refused().get(letter)).startsWith("/price (type number)");
    assertThat(versioned().requeue(List.of(letter), Requeue.SAME.unchecked(), ANNA).done())
        .isEqualTo(1);
  }

  @Test
  void both_payloads_are_archived_and_restored_and_the_audit_contains_neither() {
    TestLane shop = dies(message("\"wrong ü\""));
    UUID letter = waiting();
    letters().requeue(List.of(letter), with("\"right ü\""), ANNA);
    shop.settle(sent(shop.parked().get(0)));
    assertThat(db().operator().audit(0, 10))
        .isNotEmpty()
        .noneMatch(
            entry -> entry.toString().contains("wrong") || entry.toString().contains("right"));
    db().pass(Duration.ofDays(31));
    List<Part> parts = new ArrayList<>();
    Archive archive =
        new Archive() {
          @Override
          public String name() {
            return "kept";
          }

          @Override
          public void append(Part part) {
            parts.add(part);
          }
        };
    assertThat(store().purge(RetentionTimes.DEFAULT, archive, step -> true).expired()).isEqualTo(1);
    assertThat(letters().find(letter)).isEmpty();
    Part part = parts.stream().filter(p -> p.kind() == Part.Kind.LETTERS).findFirst().get();
    assertThat(db().operator().restore(part, ANNA)).isEqualTo(1);
    assertThat(content(detail(letter).message())).isEqualTo("\"wrong ü\"");
    assertThat(content(Objects.requireNonNull(detail(letter).corrected())))
        .isEqualTo("\"right ü\"");
  }
}
