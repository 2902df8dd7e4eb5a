package io.posthorn.postgresql.operate.deadletter;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.deadletter.Rescued;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.operate.deadletter.LockedLetters.Letter;
import io.posthorn.postgresql.parked.ParkedWriter;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Requeues and discards dead letters. A requeued message becomes a parked one with its old position
 * in the log, so it goes before all waiting messages of its key. The log itself is never written.
 *
 * <p>Lanes are locked first, as everywhere, so no relay settles in between.
 */
public final class Rescue {
  // The first message of a key gets its time here; waking it later would write its row again.
  private static final Sql PARK =
      Sql.of(
          "requeue letters",
          """
          INSERT INTO posthorn_parked
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                  cipher_key, occurred_at, recorded_at, not_before, seq, position, sender, sequence, waiting,
                  next_attempt_at, attempts, attempts_before, once, dead_letter, operation)
          SELECT d.destination, CASE WHEN :newId THEN posthorn_uuid() ELSE d.message_id END, d.type, d.schema_version, d.aggregate_type, d.key,
                 coalesce(CAST(:payload AS bytea), d.payload), d.content_type, d.headers, d.cipher_key, d.occurred_at,
                 d.recorded_at, d.not_before, d.seq, d.position, d.sender, d.sequence, 'TURN',
                 CASE WHEN d.key IS NULL OR d.destination = 'unrouted' THEN clock_timestamp()
                      WHEN row_number() OVER (PARTITION BY d.destination, d.aggregate_type, d.key ORDER BY d.position, d.seq) = 1
                           AND (SELECT true
                                  FROM posthorn_parked o
                                 WHERE o.destination = d.destination
                                   AND o.aggregate_type = d.aggregate_type
                                   AND o.key = d.key
                                   AND o.waiting <> 'TIME'
                                   AND (o.position, o.seq) <= (d.position, d.seq)
                                 LIMIT 1) IS NULL
                           AND (SELECT true
                                  FROM posthorn_held h
                                 WHERE h.destination = d.destination
                                   AND h.aggregate_type = d.aggregate_type
                                   AND h.key = d.key
                                 LIMIT 1) IS NULL
                           THEN clock_timestamp()
                 END, d.attempts, d.attempts, :once, d.id,
                 CAST(:operation AS uuid)
            FROM posthorn_dead d
           WHERE d.id = ANY (:ids)
              ON CONFLICT (destination, message_id) DO NOTHING
          RETURNING dead_letter, message_id
          """);

  private static final Sql MARK_REQUEUED =
      Sql.of(
          "mark requeued",
          """
          UPDATE posthorn_dead d
             SET state = 'REQUEUED',
                 requeued_at = clock_timestamp(),
                 requeued_as = m.message_id,
                 corrected = CAST(:corrected AS bytea),
                 operation = CAST(:operation AS uuid),
                 outcome = NULL,
                 outcome_at = NULL
            FROM unnest(CAST(:ids AS uuid[]), CAST(:messageIds AS uuid[])) AS m (id, message_id)
           WHERE d.id = ANY (:ids)
             AND d.id = m.id
          """);

  private static final Sql MARK_DISCARDED =
      Sql.of(
          "mark discarded",
          """
          UPDATE posthorn_dead
             SET state = 'DISCARDED',
                 operation = CAST(:operation AS uuid)
           WHERE id = ANY (:ids)
          """);

  // A decision about the letter that holds a key is a decision about the key.
  private static final Sql LET_GO =
      Sql.of(
          "let held keys go",
          """
          DELETE FROM posthorn_held
           WHERE dead_id = ANY (:ids)
          """);

  private final Database database;

  public Rescue(Database database) {
    this.database = database;
  }

  public Rescued requeue(List<UUID> ids, Requeue how, Actor by) {
    return database.transaction(
        "requeuing dead letters",
        tx -> {
          Map<UUID, String> refused = new HashMap<>();
          List<Letter> done = requeue(tx, ids, how, null, refused);
          if (!done.isEmpty()) {
            audit(tx, done, how, by);
          }
          return new Rescued(done.size(), refused);
        });
  }

  public Rescued discard(List<UUID> ids, Actor by) {
    return database.transaction(
        "discarding dead letters",
        tx -> {
          Map<UUID, String> refused = new HashMap<>();
          List<Letter> done = discard(tx, ids, null, refused);
          if (!done.isEmpty()) {
            AuditLog.write(
                tx,
                by,
                "dead.discard",
                done.stream()
                    .map(letter -> new AuditLog.Change(letter.target(), "DEAD", "DISCARDED"))
                    .toList());
          }
          return new Rescued(done.size(), refused);
        });
  }

  /**
   * Requeues for an operation, which is audited as a whole. Returns how many letters were requeued.
   */
  public static int requeue(Database.Tx tx, List<UUID> ids, Requeue how, UUID operation)
      throws SQLException {
    return requeue(tx, ids, how, operation, new HashMap<>()).size();
  }

  /** Discards for an operation. Returns how many letters were discarded. */
  public static int discard(Database.Tx tx, List<UUID> ids, UUID operation) throws SQLException {
    return discard(tx, ids, operation, new HashMap<>()).size();
  }

  private static List<Letter> requeue(
      Database.Tx tx,
      List<UUID> ids,
      Requeue how,
      @Nullable UUID operation,
      Map<UUID, String> refused)
      throws SQLException {
    List<Letter> letters = LockedLetters.lock(tx, ids, how.payload() != null, refused);
    letters = LockedLetters.withADestination(letters, refused);
    if (!how.newId()) {
      letters = LockedLetters.withAnIdOfTheirOwn(letters, refused);
    }
    if (operation != null) {
      letters = LockedLetters.free(tx, letters, refused);
    }
    if (letters.isEmpty()) {
      return letters;
    }
    if (how.payload() != null && !Objects.equals(letters.get(0).cipherKey(), how.cipherKey())) {
      throw new PosthornException(
          how.cipherKey() == null ? ErrorCode.CIPHER_MISSING : ErrorCode.INVALID_REQUEST,
          "dead letter %s was not requeued: its payload is encrypted with key %s, but the corrected payload with key %s. Requeue the letter without a correction, or discard it and add a new message."
              .formatted(letters.get(0).id(), letters.get(0).cipherKey(), how.cipherKey()));
    }
    Map<UUID, UUID> parked = park(tx, letters, how, operation);
    List<Letter> done = new ArrayList<>();
    for (Letter letter : letters) {
      if (parked.containsKey(letter.id())) {
        done.add(letter);
      } else {
        refused.put(
            letter.id(),
            "message %s is still parked for %s"
                .formatted(letter.messageId(), letter.destination()));
      }
    }
    if (!done.isEmpty()) {
      try (Query query = tx.query(MARK_REQUEUED)) {
        query
            .setUuids("ids", parked.keySet())
            .setUuids("messageIds", parked.values())
            .set("corrected", how.payload())
            .set("operation", operation == null ? null : operation.toString())
            .update();
      }
      release(tx, done);
    }
    return done;
  }

  private static List<Letter> discard(
      Database.Tx tx, List<UUID> ids, @Nullable UUID operation, Map<UUID, String> refused)
      throws SQLException {
    List<Letter> letters = LockedLetters.lock(tx, ids, false, refused);
    if (!letters.isEmpty()) {
      try (Query query = tx.query(MARK_DISCARDED)) {
        query
            .setUuids("ids", LockedLetters.ids(letters))
            .set("operation", operation == null ? null : operation.toString())
            .update();
      }
      release(tx, letters);
    }
    return letters;
  }

  /**
   * Parks the messages and returns their new ids by letter. Messages that are already parked are
   * left out.
   */
  private static Map<UUID, UUID> park(
      Database.Tx tx, List<Letter> letters, Requeue how, @Nullable UUID operation)
      throws SQLException {
    Map<UUID, UUID> parked = new LinkedHashMap<>();
    try (Query query = tx.query(PARK)) {
      query
          .setUuids("ids", LockedLetters.ids(letters))
          .set("newId", how.newId())
          .set("payload", how.payload())
          .set("once", how.once())
          .set("operation", operation == null ? null : operation.toString())
          .rows(
              row -> {
                UUID letter = row.getObject("dead_letter", UUID.class);
                parked.put(letter, row.getObject("message_id", UUID.class));
                return letter;
              });
    }
    return parked;
  }

  private static void release(Database.Tx tx, List<Letter> letters) throws SQLException {
    try (Query query = tx.query(LET_GO)) {
      query.setUuids("ids", LockedLetters.ids(letters)).update();
    }
    Map<String, Set<Key>> keys = new TreeMap<>();
    for (Letter letter : letters) {
      if (letter.key() != null) {
        keys.computeIfAbsent(letter.destination(), name -> new HashSet<>()).add(letter.key());
      }
    }
    for (Map.Entry<String, Set<Key>> entry : keys.entrySet()) {
      ParkedWriter.wake(tx, entry.getKey(), entry.getValue());
    }
  }

  private static void audit(Database.Tx tx, List<Letter> letters, Requeue how, Actor by)
      throws SQLException {
    byte[] corrected = how.payload();
    String digest = corrected == null ? "" : ", payload " + LockedLetters.digest(corrected);
    String after = "REQUEUED" + (how.newId() ? " under a new id" : "") + digest;
    List<AuditLog.Change> changes = new ArrayList<>();
    for (Letter letter : letters) {
      String before = letter.payload() == null ? "DEAD" : "DEAD, payload " + letter.payload();
      changes.add(new AuditLog.Change(letter.target(), before, after));
    }
    AuditLog.write(tx, by, how.once() ? "dead.send-once" : "dead.requeue", changes);
  }
}
