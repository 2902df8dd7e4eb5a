package io.posthorn.postgresql.log;

import static io.posthorn.postgresql.Poison.GUILTY;
import static io.posthorn.postgresql.Poison.GUILTY_CONTENT;
import static io.posthorn.postgresql.Poison.isGuilty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.Poison;
import io.posthorn.testkit.TestDatabase.Dead;
import io.posthorn.testkit.TestMessages;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One row cannot be read, for example because its time is outside the calendar. The others can. */
class UnreadableRowsTest {
  private static final Outcome FAILED = Outcome.failed(Reason.of("HTTP_500", "try later"));

  /** Its time, as a number of microseconds, is out of range. */
  private static final String IN_LOG =
      "IF NEW.id = '%s' THEN NEW.recorded_at = 'infinity'; END IF; RETURN NEW;".formatted(GUILTY);

  private static final String IN_PARKED =
      "IF %s THEN NEW.recorded_at = 'infinity'; END IF; RETURN NEW;".formatted(isGuilty("NEW"));

  private final Poison poison = new Poison();
  private final AtomicInteger attempts = new AtomicInteger();

  @AfterEach
  void close() {
    poison.close();
  }

  private void oneIsBuried() {
    poison.awaitOthers();
    poison.awaitSettled();
    List<Dead> letters = poison.database.dead("shop");
    assertThat(letters).extracting(Dead::messageId).containsExactly(GUILTY);
    Dead letter = letters.get(0);
    assertThat(letter.reason()).isEqualTo(Reason.STORE_REFUSED);
    assertThat(letter.content()).isEqualTo(GUILTY_CONTENT);
    assertThat(letter.error()).contains("22003").contains("all but its times");
    assertThat(poison.cries()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {2_000, 8, 2})
  void an_unreadable_row_of_the_log_is_a_dead_letter_and_the_others_go_on(int batchSize) {
    poison.trigger("INSERT", "posthorn_log", IN_LOG).start(batchSize).add();
    oneIsBuried();
  }

  @Test
  void an_unreadable_row_in_the_next_window_does_not_stop_the_settle_of_this_one() {
    poison.trigger("INSERT", "posthorn_log", IN_LOG).start();
    for (int n = 0; n < Poison.OF_EACH; n++) {
      for (int k = 0; k < Poison.KEYS; k++) {
        poison.add(Poison.message("k" + k, n));
      }
    }
    oneIsBuried();
  }

  @Test
  void an_unreadable_row_behind_a_parked_one_of_its_key_is_a_dead_letter() {
    poison
        .trigger("INSERT", "posthorn_log", IN_LOG)
        .shop(
            m ->
                TestMessages.content(m).equals("k1:0") && attempts.incrementAndGet() == 1
                    ? FAILED
                    : Outcome.SENT)
        .start()
        .add();
    oneIsBuried();
  }

  @Test
  void an_unreadable_parked_message_is_a_dead_letter_and_the_others_go_on() {
    poison
        .trigger("INSERT", "posthorn_parked", IN_PARKED)
        .shop(m -> attempts.incrementAndGet() <= 3 * Poison.KEYS ? FAILED : Outcome.SENT)
        .start()
        .add();
    oneIsBuried();
  }

  @Test
  void invalid_headers_are_reported_and_the_letter_is_never_sent() {
    // Only the owner of the tables can do this. The constraint's name has no table prefix.
    Jdbc.execute(
        poison.database.dataSource(),
        "ALTER DOMAIN posthorn_headers DROP CONSTRAINT posthorn_headers_check");
    poison
        .trigger(
            "INSERT",
            "posthorn_log",
            "IF NEW.id = '%s' THEN NEW.headers = '[1]'; END IF; RETURN NEW;".formatted(GUILTY))
        .start()
        .add();
    poison.awaitOthers();
    poison.awaitSettled();
    Dead letter = poison.database.dead("shop").get(0);
    assertThat(letter.reason()).isEqualTo(Reason.STORE_REFUSED);
    assertThat(letter.error()).contains("lacks its headers");
    poison.requeue(letter.id());
    await().untilAsserted(() -> assertThat(poison.database.dead("shop")).hasSize(2));
    assertThat(poison.sent("k1")).isEqualTo(Poison.allButGuilty("k1"));
    assertThat(poison.database.dead("shop"))
        .extracting(Dead::error)
        .anySatisfy(error -> assertThat(error).contains("nothing to send"));
  }
}
