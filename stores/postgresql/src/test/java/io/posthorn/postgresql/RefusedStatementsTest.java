package io.posthorn.postgresql;

import static io.posthorn.postgresql.Poison.GUILTY;
import static io.posthorn.postgresql.Poison.GUILTY_CONTENT;
import static io.posthorn.postgresql.Poison.isGuilty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.AfterDead;
import io.posthorn.testkit.TestDatabase;
import io.posthorn.testkit.TestDatabase.Dead;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The database refuses one statement after the other of all that a relay runs under a lane's lock:
 * of claims, of settles and of claims of parked messages. What concerns one message stops no other
 * key; what concerns the lane is reported, and the lane goes on as soon as it is accepted.
 */
class RefusedStatementsTest {
  /** No other parameter is this number. The gap before it is less than what one claim scans. */
  private static final long FIRST_SEQ = 70_000;

  /** Statements of the lane. They name neither a message nor a key. */
  private static final List<String> OF_THE_LANE =
      List.of(
          "lock lane",
          "read cursor",
          "read cursor and range",
          "read cursor, stragglers and range",
          "read range",
          "read stragglers",
          "read numbers of range",
          "read numbers of stragglers",
          "read routes",
          "read steering",
          "write progress",
          "write closed progress",
          "write closed progress, unflushed",
          "write progress again",
          "look when parked are due",
          "begin times anew after a clock step",
          "raise edge",
          "fall due",
          "take up received",
          "read parked",
          "wait for turn",
          "find due heads",
          "find those to take in",
          "retry for code");

  /** Statements that name messages or keys: see the rows of the test below. */
  private static final List<String> OF_MESSAGES =
      List.of(
          "park",
          "park again",
          "remove parked",
          "write attempts",
          "wake heads",
          "find blocked keys",
          "bury from log",
          "bury from parked",
          "hold keys",
          "bury from memory",
          "bury parked from memory",
          "forget sent",
          "read one row",
          "read names of one row",
          "read payload of one row",
          "read headers of one row",
          "read one parked",
          "read names of one parked",
          "read payload of one parked",
          "read headers of one parked",
          "take in one parked",
          "find head of key",
          "raise edges of keys",
          "find those behind unread");

  /** Not a statement of its own: it travels with the last one. */
  private static final String COMMIT = "commit";

  private final Poison poison = new Poison();
  private final AtomicInteger attempts = new AtomicInteger();

  @AfterEach
  void close() {
    poison.close();
  }

  /** What becomes of the guilty message, attempt by attempt: F fails, R is rejected, S is sent. */
  private Outcome outcome(Message message, String life) {
    if (!isGuilty(message)) {
      return Outcome.SENT;
    }
    int attempt = Math.min(attempts.incrementAndGet(), life.length());
    return switch (life.charAt(attempt - 1)) {
      case 'F' -> Outcome.failedByMessage(Reason.of("HTTP_500", "try later"));
      case 'R' -> Outcome.rejected(Reason.of("HTTP_400", "never"));
      default -> Outcome.SENT;
    };
  }

  private void startRefusing(RefusedStatements refusing, String life) {
    poison.database.execute("ALTER SEQUENCE posthorn_seq RESTART " + FIRST_SEQ);
    poison.through(refusing::on).shop(m -> outcome(m, life)).start();
  }

  /** Its id and its seq: it is the second message of the second key. */
  private static Set<String> guilty() {
    return Set.of(GUILTY.toString(), String.valueOf(FIRST_SEQ + Poison.KEYS + 1));
  }

  /**
   * @param refused what is refused if it names the guilty message
   * @param life what becomes of its attempts
   * @param also what is refused before, so that the relay gets there
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "22P02 | park                    | FS  |",
        "23514 | write attempts          | FS  |",
        "22021 | remove parked           | FS  |",
        "23505 | park again              | FFS |",
        "22001 | bury from log           | R   |",
        "23502 | bury from parked        | FR  |",
        "22P05 | forget sent             | FS  | remove parked",
        "23514 | bury from memory        | R   | bury from log",
        "22003 | bury parked from memory | FR  | bury from parked",
        "22008 | read one row            | S   | read range",
        "22003 | read one parked         | FS  | read parked",
      })
  void what_is_refused_of_one_message_stops_no_other(
      String state, String refused, String life, String also) {
    RefusedStatements refusing = new RefusedStatements(state).with(refused, guilty());
    if (also != null && also.startsWith("read")) {
      refusing.always(also);
      refusing.always("read cursor and range");
    } else if (also != null) {
      refusing.with(also, guilty());
    }
    othersGoOn(refusing, refused, life);
  }

  private void othersGoOn(RefusedStatements refusing, String refused, String life) {
    startRefusing(refusing, life);
    poison.add();
    othersAreSent();
    await().untilAsserted(() -> assertThat(refusing.refused()).contains(refused));
    await().untilAsserted(() -> assertThat(told()).as("the refused message is told of").isTrue());
    orderOfItsKeyHolds();
    assertThat(unknown(refusing)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "wake heads        | FS",
        "hold keys         | R",
      })
  void what_is_refused_of_one_key_stops_no_other_key(String refused, String life) {
    poison.afterDead(AfterDead.HOLD);
    othersGoOn(new RefusedStatements("22P02").with(refused, Set.of("k1")), refused, life);
  }

  /** A dead letter holds the key, so each claim asks which of its keys are blocked. */
  @Test
  void a_key_that_may_be_blocked_and_cannot_be_asked_for_queues_up_and_stops_no_other_key() {
    RefusedStatements refusing =
        new RefusedStatements("22P02").with("find blocked keys", Set.of("k1"));
    poison.afterDead(AfterDead.HOLD);
    startRefusing(refusing, "R");
    poison.add();
    await().until(() -> !poison.database.dead("shop").isEmpty());
    poison.add(Poison.message("k1", 5), Poison.message("k5", 0));
    await().untilAsserted(() -> assertThat(poison.sent("k5")).containsExactly("k5:0"));
    assertThat(refusing.refused()).containsExactly("find blocked keys");
    await()
        .untilAsserted(
            () ->
                assertThat(poison.database.parked("shop"))
                    .extracting(TestDatabase.Parked::content)
                    .contains("k1:5"));
    assertThat(poison.sent("k1")).containsExactly("k1:0");
    othersAreSent();
    assertThat(unknown(refusing)).isEmpty();
  }

  private void othersAreSent() {
    await()
        .untilAsserted(
            () -> {
              for (String key : List.of("k0", "k2", "k3")) {
                assertThat(poison.sent(key)).isEqualTo(Poison.all(key));
              }
            });
  }

  /**
   * It was sent, or it is a dead letter, or the relay has reported it: nothing happens silently.
   */
  private boolean told() {
    return !poison.cries().isEmpty()
        || poison.sent("k1").contains(GUILTY_CONTENT)
        || poison.database.dead("shop").stream().map(Dead::messageId).anyMatch(GUILTY::equals);
  }

  private void orderOfItsKeyHolds() {
    List<String> sent = new ArrayList<>(poison.sent("k1"));
    assertThat(sent).isSorted().doesNotHaveDuplicates();
  }

  private static List<String> unknown(RefusedStatements refusing) {
    return refusing.underLaneLock().stream()
        .filter(name -> !OF_THE_LANE.contains(name))
        .filter(name -> !OF_MESSAGES.contains(name))
        .filter(name -> !name.equals(COMMIT))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "lock lane",
        "read cursor",
        "read cursor and range",
        "read routes",
        "read steering",
        "write progress",
        "write closed progress",
        "write closed progress, unflushed",
        "write progress again",
        "look when parked are due",
        "begin times anew after a clock step",
        "fall due",
        "take up received",
        "read parked",
        "find due heads",
      })
  void what_is_refused_of_a_lane_is_reported_and_the_lane_goes_on_when_it_is_accepted(
      String refused) {
    RefusedStatements refusing = new RefusedStatements("22P02").always(refused);
    if (refused.equals("find due heads")) {
      refusing.always("read parked");
    }
    startRefusing(refusing, "FS");
    poison.add(Poison.message("k9", 0));
    await().until(() -> !poison.sent("k9").isEmpty() || !poison.cries().isEmpty());
    poison.add();
    await().untilAsserted(() -> assertThat(refusing.refused()).contains(refused));
    await()
        .untilAsserted(
            () ->
                assertThat(!poison.cries().isEmpty() || allIsSent())
                    .as("reported, or done in another way")
                    .isTrue());
    refusing.endAll();
    othersAreSent();
    orderOfItsKeyHolds();
    await().untilAsserted(() -> assertThat(told()).isTrue());
    assertThat(unknown(refusing)).isEmpty();
  }

  private boolean allIsSent() {
    return List.of("k0", "k1", "k2", "k3").stream()
        .allMatch(key -> poison.sent(key).equals(Poison.all(key)));
  }
}
