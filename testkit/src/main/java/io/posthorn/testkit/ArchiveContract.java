package io.posthorn.testkit;

import static io.posthorn.testkit.AppendContract.assertRefused;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.archive.Part;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.operate.deadletter.DeadLetterDetail;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.retention.Expiring;
import io.posthorn.core.operate.retention.PurgeReport;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** An archive gets messages and letters before they are removed, and can give them back. */
public abstract class ArchiveContract extends Contract {
  private static final Duration DAY = Duration.ofDays(1);

  private static final Actor ANNA = new Actor("anna", "a test");
  private static final Reason REASON = new Reason("HTTP_400", "no \"such\" städt\n", "at X.y");

  private final Kept kept = new Kept("kept");
  private final Kept other = new Kept("other");

  /** An archive in memory that can be made to fail. */
  private static final class Kept implements Archive {
    private final String name;
    private final List<Part> parts = new ArrayList<>();
    private boolean full;

    private Kept(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public void append(Part part) {
      if (full) {
        throw new IllegalStateException("no space left");
      }
      parts.add(part);
    }

    private List<String> lines(Part.Kind kind) {
      return parts.stream()
          .filter(part -> part.kind() == kind)
          .flatMap(part -> part.lines().stream())
          .toList();
    }
  }

  private PurgeReport purge(Archive archive) {
    return store().purge(RetentionTimes.DEFAULT, archive, step -> true);
  }

  private TestLane[] servedByAll() {
    return new TestLane[] {serve(SHOP), take(RelayStore.UNROUTED)};
  }

  private void settleAll(TestLane... lanes) {
    for (TestLane lane : lanes) {
      if (lane.lane().destination().equals(RelayStore.UNROUTED)) {
        while (store().tendUnrouted(lane.lane(), DAY)) {}
      } else {
        lane.drain();
      }
    }
  }

  private UUID die(AfterDead afterDead) {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "payload \u0001 ü 漢"));
    Batch batch = shop.batch();
    shop.settle(batch, new Move.Die(only(batch), 1, "HTTP_400", REASON, afterDead));
    return db().dead(SHOP).get(0).id();
  }

  private DeadLetterDetail letter(UUID id) {
    return db().operator().letter(id).orElseThrow();
  }

  /**
   * Nine days, and back to noon: archives are kept by day, so an hour or two later it is the same
   * day.
   */
  private static Duration longAgo() {
    return Duration.ofDays(9)
        .plusSeconds(LocalTime.now(ZoneOffset.UTC).minusHours(12).toSecondOfDay());
  }

  @Test
  void every_message_is_archived_once_before_its_leaf_is_emptied() {
    TestLane[] lanes = servedByAll();
    for (int i = 0; i < 25; i++) {
      commit(message("first " + i), keyed("k", "second " + i));
    }
    List<UUID> all = db().logged();
    settleAll(lanes);
    db().pass(longAgo());
    PurgeReport report = purge(kept);
    assertThat(report.emptied()).isNotEmpty();
    assertThat(report.archived()).isEqualTo(50);
    assertThat(db().logged()).isEmpty();
    assertThat(kept.lines(Part.Kind.MESSAGES)).hasSize(50);
    for (UUID id : all) {
      assertThat(kept.lines(Part.Kind.MESSAGES))
          .filteredOn(line -> line.contains(id.toString()))
          .hasSize(1);
    }
  }

  @Test
  void messages_that_the_archive_did_not_accept_are_not_removed() {
    TestLane[] lanes = servedByAll();
    commit(message("1"));
    settleAll(lanes);
    db().pass(longAgo());
    kept.full = true;
    assertThatThrownBy(() -> purge(kept)).hasMessageContaining("no space");
    assertThat(db().logged()).hasSize(1);
    kept.full = false;
    assertThat(purge(kept).emptied()).isNotEmpty();
    assertThat(kept.lines(Part.Kind.MESSAGES)).hasSize(1);
  }

  @Test
  void an_interrupted_purge_resumes_where_it_stopped() {
    TestLane[] lanes = servedByAll();
    commit(message("1"));
    settleAll(lanes);
    db().pass(longAgo());
    store().purge(RetentionTimes.DEFAULT, kept, step -> !step.startsWith("archiving"));
    assertThat(db().logged()).hasSize(1);
    assertThat(purge(kept).emptied()).isNotEmpty();
    assertThat(kept.lines(Part.Kind.MESSAGES)).hasSize(1);
    assertThat(db().logged()).isEmpty();
  }

  @Test
  void a_message_that_is_committed_late_into_an_archived_leaf_is_archived_too() {
    TestLane[] lanes = servedByAll();
    commit(message("1"));
    settleAll(lanes);
    db().pass(longAgo());
    try (OpenTransaction open = begin()) {
      // The transaction has been writing since the day of that message, and keeps its leaf from
      // being emptied.
      db().addOnTheDayOf(open.connection(), db().logged().get(0), message("late"));
      assertThat(purge(kept).emptied()).isEmpty();
      assertThat(kept.lines(Part.Kind.MESSAGES)).hasSize(1);
      open.commit();
    }
    settleAll(lanes);
    db().pass(Duration.ofHours(2));
    assertThat(purge(kept).emptied()).isNotEmpty();
    assertThat(kept.lines(Part.Kind.MESSAGES)).hasSize(2);
    assertThat(db().logged()).isEmpty();
  }

  @Test
  void a_message_committed_between_archiving_and_locking_is_not_removed_unarchived() {
    TestLane[] lanes = servedByAll();
    commit(message("1"));
    settleAll(lanes);
    db().pass(longAgo());
    UUID first = db().logged().get(0);
    Message late = message("late");
    store()
        .purge(
            RetentionTimes.DEFAULT,
            kept,
            step -> {
              if (step.startsWith("emptying") && db().logged().size() == 1) {
                try (OpenTransaction open = begin()) {
                  db().addOnTheDayOf(open.connection(), first, late);
                  open.commit();
                }
                settleAll(lanes);
                db().pass(Duration.ofMinutes(61));
              }
              return true;
            });
    assertThat(kept.lines(Part.Kind.MESSAGES)).hasSize(1);
    assertThat(db().logged()).contains(late.id());
    purge(kept);
    assertThat(db().logged()).isEmpty();
    assertThat(kept.lines(Part.Kind.MESSAGES))
        .anySatisfy(line -> assertThat(line).contains(late.id().toString()));
  }

  @Test
  void a_purge_without_an_archive_is_refused_while_an_archive_is_in_use() {
    TestLane[] lanes = servedByAll();
    commit(message("1"));
    settleAll(lanes);
    purge(kept);
    db().pass(longAgo());
    assertRefused(ErrorCode.ARCHIVE_IN_USE, () -> purge(Archive.NONE));
    assertThat(db().logged()).hasSize(1);
    db().operator().forgetArchive("kept", ANNA);
    assertThat(purge(Archive.NONE).emptied()).isNotEmpty();
  }

  @Test
  void a_leaf_is_emptied_only_when_every_archive_in_use_has_it() {
    TestLane[] lanes = servedByAll();
    commit(message("1"));
    settleAll(lanes);
    purge(kept);
    db().pass(longAgo());
    assertThat(purge(other).waiting()).anyMatch(line -> line.contains("archive 'kept'"));
    assertThat(db().logged()).hasSize(1);
    assertThat(purge(kept).emptied()).isNotEmpty();
    assertThat(db().logged()).isEmpty();
    assertThat(kept.lines(Part.Kind.MESSAGES)).hasSize(1);
    assertThat(other.lines(Part.Kind.MESSAGES)).hasSize(1);
  }

  @Test
  void a_dead_letter_is_removed_once_every_archive_in_use_has_it_and_each_gets_it_once() {
    UUID id = twoInUseAndALetterThatOneHas();
    PurgeReport again = purge(kept);
    assertThat(again.expired()).isZero();
    assertThat(again.waiting()).anyMatch(line -> line.contains("archive 'other'"));
    assertThat(purge(other).expired()).isEqualTo(1);
    assertThat(db().dead(SHOP)).isEmpty();
    for (Kept archive : List.of(kept, other)) {
      assertThat(archive.lines(Part.Kind.LETTERS))
          .singleElement()
          .asString()
          .contains(id.toString());
    }
    assertThat(purge(kept).waiting()).noneMatch(line -> line.contains("dead letters"));
  }

  @Test
  void a_dead_letter_that_waits_for_an_archive_is_removed_once_the_archive_is_forgotten() {
    twoInUseAndALetterThatOneHas();
    db().operator().forgetArchive("other", ANNA);
    assertThat(purge(kept).expired()).isEqualTo(1);
    assertThat(kept.lines(Part.Kind.LETTERS)).hasSize(1);
    assertThat(other.lines(Part.Kind.LETTERS)).isEmpty();
  }

  @Test
  void a_letter_that_changed_after_it_was_archived_is_archived_again() {
    UUID id = twoInUseAndALetterThatOneHas();
    db().operator().discard(List.of(id), ANNA);
    assertThat(purge(other).expired()).as("the other one has it as it was").isZero();
    assertThat(purge(kept).expired()).isEqualTo(1);
    assertThat(kept.lines(Part.Kind.LETTERS)).hasSize(2);
    assertThat(kept.lines(Part.Kind.LETTERS).get(1)).contains("DISCARDED");
  }

  private UUID twoInUseAndALetterThatOneHas() {
    UUID id = die(AfterDead.CONTINUE);
    purge(other);
    db().pass(Duration.ofDays(31));
    PurgeReport report = purge(kept);
    assertThat(report.expired()).isZero();
    assertThat(report.waiting())
        .anyMatch(line -> line.contains("1 dead letters wait for archive 'other'"));
    assertThat(db().dead(SHOP)).hasSize(1);
    return id;
  }

  @Test
  void more_letters_than_one_step_removes_wait_for_the_other_archive_and_are_then_removed() {
    TestLane shop = serve(SHOP);
    Message[] many = new Message[450];
    for (int i = 0; i < many.length; i++) {
      many[i] = message("m" + i);
    }
    commit(many);
    Batch batch = shop.batch();
    shop.settle(
        batch,
        batch.deliveries().stream()
            .map(d -> new Move.Die(d, 1, "HTTP_400", REASON, AfterDead.CONTINUE))
            .toArray(Move[]::new));
    purge(other);
    db().pass(Duration.ofDays(31));
    assertThat(purge(kept).expired()).isZero();
    assertThat(kept.lines(Part.Kind.LETTERS)).hasSize(450);
    assertThat(purge(other).expired()).isEqualTo(450);
    assertThat(other.lines(Part.Kind.LETTERS)).hasSize(450);
    assertThat(db().dead(SHOP)).isEmpty();
  }

  @Test
  void letters_come_back_from_the_archives_table_as_they_were() {
    UUID id = die(AfterDead.CONTINUE);
    db().pass(Duration.ofDays(31));
    DeadLetterDetail before = letter(id);
    assertThat(purge(db().operator().archiveTable()).expired()).isEqualTo(1);
    assertThat(db().operator().lettersInTable(new UUID(0, 0), 10)).containsExactly(id);
    assertThat(db().operator().restoreFromTable(List.of(id), ANNA)).isEqualTo(1);
    assertThat(db().operator().restoreFromTable(List.of(id), ANNA)).isZero();
    DeadLetterDetail after = letter(id);
    assertThat(after.message().payload()).isEqualTo(before.message().payload());
    assertThat(after).isEqualTo(before);
    assertThat(db().operator().audit(0, 10))
        .extracting(AuditEntry::action)
        .containsExactly("dead.expire", "archive.restore");
    assertThat(db().operator().requeue(List.of(id), Requeue.SAME, ANNA).done()).isEqualTo(1);
  }

  @Test
  void messages_are_not_removed_unarchived_if_an_archive_comes_into_use_during_the_purge() {
    TestLane[] lanes = servedByAll();
    commit(message("1"));
    settleAll(lanes);
    db().pass(longAgo());
    purgeWithoutAndUseOneWhen("emptying");
    assertThat(db().logged()).hasSize(1);
  }

  @Test
  void dead_letters_are_not_removed_unarchived_if_an_archive_comes_into_use_during_the_purge() {
    die(AfterDead.CONTINUE);
    db().pass(Duration.ofDays(31));
    purgeWithoutAndUseOneWhen("removing");
    assertThat(db().dead(SHOP)).hasSize(1);
  }

  private void purgeWithoutAndUseOneWhen(String step) {
    store()
        .purge(
            RetentionTimes.DEFAULT,
            Archive.NONE,
            now -> {
              if (now.startsWith(step)) {
                store().purge(RetentionTimes.DEFAULT, kept, any -> false);
              }
              return true;
            });
  }

  @Test
  void an_archived_message_can_be_restored_for_inspection_and_only_once() {
    TestLane[] lanes = servedByAll();
    commit(
        Message.of(TestMessages.TYPE)
            .payload(new byte[] {0, 1, (byte) 0xff}, "application/x-bytes")
            .header("a\"b", "ü\n\t\\ 漢")
            .notBefore(Instant.parse("2020-01-01T00:00:00.123456Z"))
            .build());
    settleAll(lanes);
    db().pass(longAgo());
    purge(kept);
    Part part = kept.parts.get(0);
    assertThat(db().operator().restore(part, ANNA)).isEqualTo(1);
    assertThat(db().operator().restore(part, ANNA)).isZero();
    assertThat(db().operator().audit(0, 10))
        .extracting(AuditEntry::action)
        .containsExactly("archive.restore");
    assertThat(lanes[0].claim(TestLane.ALL).batch()).as("nothing is sent again").isNull();
  }

  @Test
  void expired_dead_letters_are_archived_then_removed_and_audited() {
    UUID id = die(AfterDead.CONTINUE);
    db().pass(Duration.ofDays(29));
    assertThat(purge(kept).expired()).isZero();
    db().pass(DAY.multipliedBy(2));
    assertThat(purge(kept).expired()).isEqualTo(1);
    assertThat(db().dead(SHOP)).isEmpty();
    assertThat(kept.lines(Part.Kind.LETTERS)).singleElement().asString().contains(id.toString());
    AuditEntry entry = db().operator().audit(0, 10).get(0);
    assertThat(entry.who()).isEqualTo("retention");
    assertThat(entry.action()).isEqualTo("dead.expire");
    assertThat(entry.after()).contains("kept");
  }

  @Test
  void an_expired_dead_letter_comes_back_from_the_archive_as_it_was_and_can_be_requeued() {
    UUID id = die(AfterDead.CONTINUE);
    db().pass(Duration.ofDays(31));
    DeadLetterDetail before = letter(id);
    purge(kept);
    assertThat(db().operator().letter(id)).isEmpty();
    Part part = kept.parts.stream().filter(p -> p.kind() == Part.Kind.LETTERS).findFirst().get();
    assertThat(db().operator().restore(part, ANNA)).isEqualTo(1);
    DeadLetterDetail after = letter(id);
    assertThat(after.message().payload()).isEqualTo(before.message().payload());
    assertThat(after).isEqualTo(before);
    assertThat(purge(kept).expired()).as("its time begins anew").isZero();
    assertThat(db().operator().requeue(List.of(id), Requeue.SAME, ANNA).done()).isEqualTo(1);
  }

  @Test
  void a_letter_that_holds_its_key_stays_until_a_person_decides() {
    UUID id = die(AfterDead.HOLD);
    db().pass(Duration.ofDays(40));
    assertThat(purge(Archive.NONE).expired()).isZero();
    db().operator().discard(List.of(id), ANNA);
    assertThat(purge(Archive.NONE).expired()).isEqualTo(1);
  }

  @Test
  void a_requeued_letter_that_is_still_under_way_is_kept() {
    UUID id = die(AfterDead.CONTINUE);
    db().operator().requeue(List.of(id), Requeue.SAME, ANNA);
    db().pass(Duration.ofDays(40));
    assertThat(purge(Archive.NONE).expired()).isZero();
    assertThat(db().dead(SHOP)).hasSize(1);
  }

  @Test
  void letters_are_announced_a_week_before_they_are_removed() {
    die(AfterDead.CONTINUE);
    db().pass(Duration.ofDays(22));
    assertThat(purge(Archive.NONE).expiring()).isEmpty();
    db().pass(DAY.multipliedBy(2));
    PurgeReport report = purge(Archive.NONE);
    assertThat(report.expiring()).extracting(Expiring::destination).containsExactly(SHOP);
    assertThat(report.expiring().get(0).letters()).isEqualTo(1);
    assertThat(report.expiring().get(0).first())
        .isBetween(
            Instant.now().plus(DAY.multipliedBy(5)), Instant.now().plus(DAY.multipliedBy(7)));
  }

  @Test
  void the_attempts_of_a_removed_message_are_removed_too_and_others_stay() {
    UUID gone = letter(die(AfterDead.CONTINUE)).letter().messageId();
    TestLane shop = takeOver(SHOP);
    commit(keyed("p", "parked"));
    Batch batch = shop.batch();
    shop.settle(batch, new Move.Park(only(batch), Waiting.RETRY, 1, Duration.ofDays(99), REASON));
    UUID parked = only(batch).message().id();
    db().pass(Duration.ofDays(31));
    purge(Archive.NONE);
    assertThat(db().attempts(SHOP, gone)).isEmpty();
    assertThat(db().attempts(SHOP, parked)).hasSize(1);
    assertThat(db().parked(SHOP)).hasSize(1);
  }
}
