package io.posthorn.postgresql.parked;

import static io.posthorn.postgresql.Poison.GUILTY;
import static io.posthorn.postgresql.Poison.GUILTY_CONTENT;
import static io.posthorn.postgresql.Poison.isGuilty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.observe.Event;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.postgresql.Poison;
import io.posthorn.testkit.TestDatabase.Dead;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The database permanently refuses to write the result of one message. Retrying the settle
 * unchanged would stop all messages of its lane. Instead the others continue, each key in order,
 * and the refused message becomes a dead letter or is parked, with its reason. If that is refused,
 * too, the relay logs it.
 */
class RefusedSettleTest {
  private static final String BAD = "bad text: ½";
  private static final Outcome FAILED = Outcome.failedByMessage(Reason.of("HTTP_500", BAD));
  private static final Outcome REJECTED = Outcome.rejected(Reason.of("HTTP_400", BAD));

  private final Poison poison = new Poison();
  private final AtomicInteger attempts = new AtomicInteger();

  @AfterEach
  void close() {
    poison.close();
  }

  private void oneIsBuried() {
    poison.awaitOthers();
    poison.awaitSettled();
    Dead letter = onlyLetter();
    assertThat(letter.messageId()).isEqualTo(GUILTY);
    assertThat(letter.reason()).isEqualTo(Reason.STORE_REFUSED);
    assertThat(letter.content()).isEqualTo(GUILTY_CONTENT);
    assertThat(letter.error()).isASCII();
    // The relay reports it when the settle has been answered, after it is stored.
    await()
        .untilAsserted(
            () ->
                assertThat(poison.events)
                    .filteredOn(Event.Dead.class::isInstance)
                    .extracting(e -> ((Event.Dead) e).code())
                    .containsExactly(Reason.STORE_REFUSED));
    assertThat(poison.cries()).isEmpty();
  }

  private Dead onlyLetter() {
    List<Dead> letters = poison.database.dead("shop");
    assertThat(letters).hasSize(1);
    return letters.get(0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "22021", "22001", "23514", "23505", "54000", "P0001", "09000", "2F002", "38000", "39004",
        "XX002"
      })
  void a_message_that_cannot_be_parked_is_a_dead_letter_and_the_others_go_on(String state) {
    poison
        .refusing("INSERT", "posthorn_parked", state, isGuilty("NEW"))
        .shop(m -> isGuilty(m) ? FAILED : Outcome.SENT)
        .start()
        .add();
    oneIsBuried();
  }

  @Test
  void many_that_cannot_be_parked_are_each_a_dead_letter() {
    poison
        .refusing("INSERT", "posthorn_parked", "22021", "NEW.key IN ('k0', 'k2')")
        .shop(m -> m.key().id().equals("k2") ? FAILED : Outcome.SENT)
        .start()
        .add();
    await().untilAsserted(() -> assertThat(poison.database.dead("shop")).hasSize(Poison.OF_EACH));
    poison.awaitSettled();
    assertThat(poison.sent("k0")).isEqualTo(Poison.all("k0"));
    assertThat(poison.sent("k1")).isEqualTo(Poison.all("k1"));
  }

  @Test
  void a_message_whose_failure_cannot_be_stored_is_parked_without_its_text_and_tried_again() {
    poison
        .refusing("INSERT", "posthorn_parked", "22P05", "NEW.last_error LIKE '%½%'")
        .refusing("INSERT", "posthorn_attempt", "22P05", "NEW.error LIKE '%½%'")
        .shop(m -> isGuilty(m) && attempts.incrementAndGet() == 1 ? FAILED : Outcome.SENT)
        .start()
        .add();
    poison.awaitOthers();
    poison.awaitSettled();
    assertThat(poison.sent("k1")).isEqualTo(Poison.all("k1"));
    assertThat(poison.database.dead("shop")).isEmpty();
    assertThat(poison.database.attempts("shop", GUILTY))
        .extracting(attempt -> attempt.outcome() + " " + attempt.reason())
        .containsExactly("FAILED STORE_REFUSED", "SENT null");
  }

  @Test
  void a_dead_letter_whose_failure_cannot_be_stored_is_written_without_its_text() {
    poison
        .refusing("INSERT", "posthorn_dead", "22P05", "NEW.error LIKE '%½%'")
        .shop(m -> isGuilty(m) ? REJECTED : Outcome.SENT)
        .start()
        .add();
    oneIsBuried();
  }

  @Test
  void a_message_whose_history_is_refused_is_a_dead_letter() {
    poison
        .refusing("INSERT", "posthorn_attempt", "23514", isGuilty("NEW"))
        .shop(m -> isGuilty(m) ? FAILED : Outcome.SENT)
        .start()
        .add();
    oneIsBuried();
  }

  @Test
  void a_parked_message_that_cannot_be_parked_again_is_a_dead_letter() {
    poison
        .refusing("UPDATE", "posthorn_parked", "23514", isGuilty("NEW") + " AND NEW.attempts = 2")
        .shop(m -> isGuilty(m) ? FAILED : Outcome.SENT)
        .start()
        .add();
    oneIsBuried();
  }

  @Test
  void a_parked_message_that_was_sent_goes_though_its_history_is_refused() {
    poison
        .refusing(
            "INSERT", "posthorn_attempt", "23514", isGuilty("NEW") + " AND NEW.outcome = 'SENT'")
        .shop(m -> isGuilty(m) && attempts.incrementAndGet() == 1 ? FAILED : Outcome.SENT)
        .start()
        .add();
    poison.awaitOthers();
    poison.awaitSettled();
    assertThat(poison.sent("k1")).isEqualTo(Poison.all("k1"));
    assertThat(poison.database.dead("shop")).isEmpty();
    assertThat(poison.cries()).isEmpty();
  }

  @Test
  void a_message_of_which_nothing_can_be_written_is_reported_and_the_others_are_settled() {
    poison
        .refusing("INSERT", "posthorn_dead", "23514", isGuilty("NEW"))
        .shop(m -> isGuilty(m) ? REJECTED : Outcome.SENT)
        .start()
        .add();
    poison.awaitOthers();
    await().untilAsserted(() -> assertThat(poison.cries()).isNotEmpty());
    assertThat(poison.cries().get(0).destination()).isEqualTo("shop");
    assertThat(poison.cries().get(0).reason().code()).isEqualTo(Reason.STORE_REFUSED);
    await()
        .untilAsserted(
            () ->
                assertThat(refusals())
                    .singleElement()
                    .asString()
                    .contains(GUILTY.toString(), "23514"));
    // All but the refused message and those behind it in its key.
    await()
        .untilAsserted(
            () ->
                assertThat(
                        poison.database.query(
                            "SELECT cardinality(ahead) FROM posthorn_progress WHERE "
                                + "destination = 'shop' ORDER BY n DESC LIMIT 1",
                            row -> row.getInt(1)))
                    .containsExactly(11));
  }

  @Test
  void a_parked_message_that_cannot_be_removed_is_reported_and_the_other_parked_ones_go_on() {
    poison
        .refusing("DELETE", "posthorn_parked", "23514", isGuilty("OLD"))
        .shop(m -> isGuilty(m) && attempts.incrementAndGet() == 1 ? FAILED : Outcome.SENT)
        .start()
        .add();
    poison.awaitOthers();
    await().untilAsserted(() -> assertThat(poison.cries()).isNotEmpty());
    AtomicInteger others = new AtomicInteger();
    poison.shop(m -> others.incrementAndGet() == 1 ? FAILED : Outcome.SENT);
    poison.add(Poison.message("k9", 0));
    await().untilAsserted(() -> assertThat(poison.sent("k9")).containsExactly("k9:0"));
    await()
        .untilAsserted(
            () ->
                assertThat(poison.database.parked("shop"))
                    .allMatch(p -> p.content().startsWith("k1:")));
    assertThat(poison.sent("k1")).filteredOn(GUILTY_CONTENT::equals).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"NEW.s2 IS NOT NULL", "NEW.s2 IS NULL"})
  void a_progress_that_is_refused_is_reported_by_a_claim_and_by_a_settle(String which) {
    poison
        .refusing(
            "INSERT",
            "posthorn_progress",
            "23514",
            "NEW.destination = 'shop' AND EXISTS (SELECT 1 FROM posthorn_log) AND " + which)
        .start()
        .add();
    await().untilAsserted(() -> assertThat(poison.cries()).isNotEmpty());
    await()
        .untilAsserted(() -> assertThat(refusals()).singleElement().asString().contains("23514"));
  }

  /** What the doctor says of refusals. */
  private List<String> refusals() {
    return poison.database.operator().examine(Examination.DEFAULT).stream()
        .filter(diagnosis -> diagnosis.code().equals("STORE_REFUSED"))
        .map(Diagnosis::toString)
        .toList();
  }
}
