package io.posthorn.postgresql.operate.operation;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.operation.Action;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.operate.deadletter.Rescue;
import io.posthorn.postgresql.operate.operation.OperationSteps.Item;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One step of a locked operation. It adds up the outcomes so far, handles the next letters or
 * messages, and stores the progress.
 */
final class OperationStep {
  /** A chunk may be large, because the destination reads nothing new while it is rewound. */
  private static final int REWIND_CHUNK = 1_000;

  /**
   * The most messages on their way that were not tried yet. A live message waits for the letter of
   * its key, which may be the last of these.
   */
  private static final int MOST_UNTRIED = 200;

  /**
   * This many messages may be on their way, tried or not, before the operation waits for outcomes,
   * …
   */
  private static final int MOST_UNDER_WAY = 2_000;

  /**
   * … or this share of all messages it has sent, so that a few that never succeed do not block a
   * million.
   */
  private static final double SHARE_UNDER_WAY = 0.1;

  /** With fewer outcomes, a share is meaningless. */
  private static final int JUDGED_FROM = 20;

  private static final double SOONEST = 0.01;
  private static final double LATEST = 1;

  private static final Sql FOLD =
      Sql.of(
          "add up outcomes",
          """
          WITH gone AS (
            DELETE FROM posthorn_operation_outcome
             WHERE operation = :id
            RETURNING sent, died, retrying
          )
          SELECT coalesce(sum(sent), 0) AS sent, coalesce(sum(died), 0) AS died, coalesce(sum(retrying), 0) AS retrying,
                 count(*) AS reports
            FROM gone
          """);

  // Lanes are locked, so this commit does not wait for the disk. If the server crashes, the step
  // did not happen, and its messages are sent again under the same ids. New ids must reach the
  // disk, and so must a discard, which may release followers, and the end, which is in the audit.
  private static final Sql WRITE =
      Sql.of(
          "write operation",
          """
          UPDATE posthorn_operation
             SET last_position = :lastPosition,
                 last_id = :lastId,
                 done = :done,
                 refused = :refused,
                 sent = :sent,
                 died = :died,
                 retrying = :retrying,
                 stuck = :stuck,
                 paced_at = now() - make_interval(secs => :seconds),
                 moved_at = now(),
                 state = CAST(:state AS text),
                 note = CAST(:note AS text),
                 ended_at = CASE WHEN CAST(:state AS text) = 'RUNNING' THEN NULL ELSE clock_timestamp() END
           WHERE id = :id
             AND set_config('synchronous_commit',
                            CASE WHEN action IN ('REQUEUE_NEW_ID', 'DISCARD') OR CAST(:state AS text) <> 'RUNNING' THEN 'on'
                                 ELSE 'off'
                            END, true) IS NOT NULL
          """);

  private final Database.Tx tx;
  private final UUID id;
  private final Plan plan;
  private final Actor by;
  private final Instant createdAt;
  private final long upto;
  private final RateLimit pace;
  private final long judgedSent;
  private final long judgedDied;
  private Item last;
  private long done;
  private long refused;
  private long sent;
  private long died;
  private long retrying;
  private long stuck;
  private final double still;
  private Operation.State state = Operation.State.RUNNING;
  private @Nullable String note;
  private boolean moved;

  OperationStep(Database.Tx tx, UUID id, ResultSet row) throws SQLException {
    this.tx = tx;
    this.id = id;
    this.plan = OperationRow.plan(row);
    this.by = OperationRow.by(row);
    this.createdAt = Times.instant(row, "created_at");
    this.upto = row.getLong("upto");
    this.last = new Item(row.getLong("last_position"), row.getObject("last_id", UUID.class));
    this.done = row.getLong("done");
    this.refused = row.getLong("refused");
    this.sent = row.getLong("sent");
    this.died = row.getLong("died");
    this.retrying = row.getLong("retrying");
    this.stuck = row.getLong("stuck");
    this.still = row.getDouble("still");
    this.judgedSent = row.getLong("judged_sent");
    this.judgedDied = row.getLong("judged_died");
    this.pace = new RateLimit(plan.ratePerSecond(), row.getDouble("seconds"));
  }

  Duration take() throws SQLException {
    fold();
    Duration pause = Duration.ZERO;
    if (tooManyDied()) {
      stop();
    } else {
      int most = most();
      pause = most > 0 ? Duration.ZERO : pause();
      if (most > 0) {
        act(most);
      }
    }
    if (moved) {
      write();
    }
    return pause;
  }

  private void fold() throws SQLException {
    try (Query query = tx.query(FOLD)) {
      query
          .set("id", id)
          .first(
              row -> {
                sent += row.getLong("sent");
                died += row.getLong("died");
                retrying += row.getLong("retrying");
                moved = row.getLong("reports") > 0;
                return row;
              });
    }
  }

  private boolean tooManyDied() {
    long diedSince = died - judgedDied;
    long knownSince = diedSince + sent - judgedSent;
    boolean onlyCanary = plan.canary() > 0 && done <= plan.canary();
    boolean enough = onlyCanary ? sent + died >= done : knownSince >= JUDGED_FROM;
    return plan.action().sends() && enough && diedSince > plan.stopAt() * knownSince;
  }

  /** Returns how many letters or messages this step may handle. */
  private int most() throws SQLException {
    int most = mostByPace();
    boolean mayRead = most == 0 || SentMessages.exclude(tx);
    return mayRead ? most : 0;
  }

  private int mostByPace() throws SQLException {
    if (!plan.action().mayBePaced()) {
      return Rewinding.mayBegin(tx, plan.messages().destination()) ? REWIND_CHUNK : 0;
    }
    long most = Math.min(RateLimit.CHUNK, pace.ready());
    if (plan.action().sends()) {
      most = mayPutMoreUnderWay() ? most : 0;
      if (plan.canary() > done) {
        most = Math.min(most, plan.canary() - done);
      } else if (sent + died < plan.canary()) {
        most = 0;
      }
    }
    return (int) Math.max(0, most);
  }

  /**
   * Returns whether more messages may be sent. Messages that are retried do not count as untried,
   * nor do stuck ones, which wait behind a failing message of their key or have a paused type; they
   * are recognised by the lack of progress. A destination that accepts hardly anything must not get
   * all messages before the failures are known.
   */
  private boolean mayPutMoreUnderWay() {
    long underWay = done - sent - died;
    long untried = underWay - retrying;
    boolean stands = !moved && (still >= LATEST || clockWasSetBack());
    stuck = stands ? untried : Math.min(stuck, untried);
    return untried - stuck <= MOST_UNTRIED - RateLimit.CHUNK
        && underWay < Math.max(MOST_UNDER_WAY, SHARE_UNDER_WAY * done);
  }

  /**
   * Returns the pause before the next step: until the rate allows more, or until outcomes are
   * known. Outcomes may take milliseconds or days, so the pause grows while nothing changes.
   */
  private Duration pause() {
    if (pace.ready() == 0) {
      return pace.pause();
    }
    double quiet = clockWasSetBack() ? LATEST : still / 4;
    double seconds = moved ? SOONEST : Math.min(LATEST, Math.max(SOONEST, quiet));
    return Duration.ofNanos((long) (seconds * 1e9));
  }

  /**
   * A time slightly in the future does not count: another relay took a step after this one began.
   */
  private boolean clockWasSetBack() {
    return still < -LATEST;
  }

  private void act(int most) throws SQLException {
    moved = true;
    if (plan.action().ofLetters()) {
      actOnLetters(most);
    } else {
      actOnMessages(most);
    }
  }

  private void actOnLetters(int most) throws SQLException {
    List<Item> letters = NextLetters.of(tx, plan.letters(), createdAt, last, most);
    if (letters.isEmpty()) {
      end();
      return;
    }
    List<UUID> ids = letters.stream().map(Item::id).toList();
    acted(
        letters,
        switch (plan.action()) {
          case REQUEUE -> Rescue.requeue(tx, ids, Requeue.SAME, id);
          case REQUEUE_NEW_ID -> Rescue.requeue(tx, ids, Requeue.SAME.withNewId(), id);
          case SEND_ONCE -> Rescue.requeue(tx, ids, Requeue.ONCE, id);
          case DISCARD -> Rescue.discard(tx, ids, id);
          case RESEND, REWIND -> throw new IllegalStateException(plan.action() + " has no letters");
        });
  }

  private void actOnMessages(int most) throws SQLException {
    boolean rewind = plan.action() == Action.REWIND;
    // A rewind also covers what was written between its start and the end of the window that was
    // open then.
    long end = rewind ? SeqBounds.highest(tx) : upto;
    SentMessages.Found found =
        SentMessages.next(tx, plan.messages(), rewind, last.position(), end, most);
    if (found.items().isEmpty()) {
      last = new Item(found.lookedUpTo(), last.id());
      if (found.lookedUpTo() >= end) {
        end();
      }
      return;
    }
    acted(found.items(), SentMessages.park(tx, plan.messages().destination(), found, id));
  }

  private void acted(List<Item> items, int count) {
    last = items.get(items.size() - 1);
    done += count;
    refused += items.size() - count;
    pace.took(count);
  }

  private void stop() throws SQLException {
    moved = true;
    state = Operation.State.STOPPED;
    Rewinding.end(tx, id);
    note =
        "stopped automatically: %,d of %,d died again, more than %.0f %%"
            .formatted(
                died - judgedDied, died - judgedDied + sent - judgedSent, plan.stopAt() * 100);
    AuditLog.write(tx, by, "operation.stop", OperationBook.target(id), null, note);
  }

  private void end() throws SQLException {
    state = Operation.State.DONE;
    Rewinding.end(tx, id);
    AuditLog.write(
        tx,
        by,
        "operation.end",
        OperationBook.target(id),
        null,
        "%,d done, %,d refused".formatted(done, refused));
  }

  private void write() throws SQLException {
    try (Query query = tx.query(WRITE)) {
      query
          .set("id", id)
          .set("lastPosition", last.position())
          .set("lastId", last.id())
          .set("done", done)
          .set("refused", refused)
          .set("sent", sent)
          .set("died", died)
          .set("retrying", retrying)
          .set("stuck", stuck)
          .set("seconds", pace.seconds())
          .set("state", state.name())
          .set("note", note)
          .update();
    }
  }
}
