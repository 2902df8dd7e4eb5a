package io.posthorn.postgresql;

import io.posthorn.core.audit.By;
import io.posthorn.core.deadletter.Requeue;
import io.posthorn.core.deadletter.Rescued;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Key;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The rescues of dead letters. A requeued message becomes a parked one with the place it had in the
 * log, so it goes before everything that waits of its key; the log itself is never written.
 *
 * <p>Lanes are locked first, as everywhere: no relay settles in between.
 */
final class Rescue {
  private static final Sql LOCK_LANES =
      Sql.of(
          "lock lanes of letters",
          """
          SELECT 1
            FROM posthorn_lane
           WHERE destination IN (SELECT destination FROM posthorn_dead WHERE id = ANY (:ids))
           ORDER BY destination <> 'unrouted', destination, lane
             FOR NO KEY UPDATE
          """);

  private static final Sql LOCK_LETTERS =
      Sql.of(
          "lock letters",
          """
          SELECT id, destination, message_id, aggregate_type, key, state, cipher_key,
                 CASE WHEN :corrected THEN payload END AS payload
            FROM posthorn_dead
           WHERE id = ANY (:ids)
           ORDER BY id
             FOR NO KEY UPDATE
          """);

  // Behind these a letter would wait for a person, and an operation for it.
  private static final Sql BEHIND_OTHERS =
      Sql.of(
          "find letters of held keys",
          """
          SELECT d.id
            FROM posthorn_dead d
            JOIN posthorn_held h
              ON h.destination = d.destination
             AND h.aggregate_type = d.aggregate_type
             AND h.key = d.key
           WHERE d.id = ANY (:ids)
             AND (h.paused OR h.dead_id <> ALL (:ids))
          """);

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
                 CASE WHEN d.key IS NULL THEN clock_timestamp() END, d.attempts, d.attempts, :once, d.id,
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

  // Whoever decides about the letter that held its key decides about the key.
  private static final Sql LET_GO =
      Sql.of(
          "let held keys go",
          """
          DELETE FROM posthorn_held
           WHERE dead_id = ANY (:ids)
          """);

  /** A letter as it was; of its payload the digest, if another takes its place. */
  private record Letter(
      UUID id,
      String destination,
      UUID messageId,
      @Nullable Key key,
      String state,
      @Nullable String cipherKey,
      @Nullable String payload) {}

  private final Database database;

  Rescue(Database database) {
    this.database = database;
  }

  Rescued requeue(List<UUID> ids, Requeue how, By by) {
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

  Rescued discard(List<UUID> ids, By by) {
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
                    .map(letter -> new AuditLog.Change(target(letter), "DEAD", "DISCARDED"))
                    .toList());
          }
          return new Rescued(done.size(), refused);
        });
  }

  /** For an operation, which is audited as a whole; returns how many were requeued. */
  static int requeue(Database.Tx tx, List<UUID> ids, Requeue how, UUID operation)
      throws SQLException {
    return requeue(tx, ids, how, operation, new HashMap<>()).size();
  }

  /** For an operation, too. */
  static int discard(Database.Tx tx, List<UUID> ids, UUID operation) throws SQLException {
    return discard(tx, ids, operation, new HashMap<>()).size();
  }

  private static List<Letter> requeue(
      Database.Tx tx,
      List<UUID> ids,
      Requeue how,
      @Nullable UUID operation,
      Map<UUID, String> refused)
      throws SQLException {
    List<Letter> letters = lock(tx, ids, how.payload() != null, refused);
    if (operation != null) {
      letters = free(tx, letters, refused);
    }
    if (letters.isEmpty()) {
      return letters;
    }
    if (how.payload() != null && letters.get(0).cipherKey != null) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "letter %s was not requeued: its payload is encrypted and the corrected one is not. Requeue it as it is, or discard it and add a new message."
              .formatted(letters.get(0).id));
    }
    Map<UUID, UUID> parked = park(tx, letters, how, operation);
    List<Letter> done = new ArrayList<>();
    for (Letter letter : letters) {
      if (parked.containsKey(letter.id)) {
        done.add(letter);
      } else {
        refused.put(
            letter.id,
            "message %s is still parked for %s".formatted(letter.messageId, letter.destination));
      }
    }
    if (!done.isEmpty()) {
      try (Query query = tx.query(MARK_REQUEUED)) {
        query
            .setUuids("ids", parked.keySet())
            .setUuids("messageIds", parked.values())
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
    List<Letter> letters = lock(tx, ids, false, refused);
    if (!letters.isEmpty()) {
      try (Query query = tx.query(MARK_DISCARDED)) {
        query
            .setUuids("ids", ids(letters))
            .set("operation", operation == null ? null : operation.toString())
            .update();
      }
      release(tx, letters);
    }
    return letters;
  }

  private static List<Letter> lock(
      Database.Tx tx, List<UUID> ids, boolean corrected, Map<UUID, String> refused)
      throws SQLException {
    try (Query query = tx.query(LOCK_LANES)) {
      query.setUuids("ids", ids).any();
    }
    Map<UUID, Letter> found = new TreeMap<>();
    try (Query query = tx.query(LOCK_LETTERS)) {
      query
          .setUuids("ids", ids)
          .set("corrected", corrected)
          .rows(Rescue::letter)
          .forEach(letter -> found.put(letter.id, letter));
    }
    List<Letter> waiting = new ArrayList<>();
    for (UUID id : new HashSet<>(ids)) {
      Letter letter = found.get(id);
      if (letter == null) {
        refused.put(id, "there is no such letter");
      } else if (!letter.state.equals("DEAD")) {
        refused.put(id, "it does not wait any more: it is " + letter.state);
      } else {
        waiting.add(letter);
      }
    }
    return waiting;
  }

  /** Without those whose key waits for a person, because of others than these. */
  private static List<Letter> free(Database.Tx tx, List<Letter> letters, Map<UUID, String> refused)
      throws SQLException {
    try (Query query = tx.query(BEHIND_OTHERS)) {
      query
          .setUuids("ids", ids(letters))
          .rows(row -> row.getObject("id", UUID.class))
          .forEach(id -> refused.put(id, "its key is held or paused"));
    }
    return letters.stream().filter(letter -> !refused.containsKey(letter.id)).toList();
  }

  private static Letter letter(ResultSet row) throws SQLException {
    String aggregateType = row.getString("aggregate_type");
    byte[] payload = row.getBytes("payload");
    return new Letter(
        row.getObject("id", UUID.class),
        row.getString("destination"),
        row.getObject("message_id", UUID.class),
        aggregateType == null ? null : new Key(aggregateType, row.getString("key")),
        row.getString("state"),
        row.getString("cipher_key"),
        payload == null ? null : digest(payload));
  }

  /** The ids they have now, by letter; those that are parked already are left out. */
  private static Map<UUID, UUID> park(
      Database.Tx tx, List<Letter> letters, Requeue how, @Nullable UUID operation)
      throws SQLException {
    Map<UUID, UUID> parked = new LinkedHashMap<>();
    try (Query query = tx.query(PARK)) {
      query
          .setUuids("ids", ids(letters))
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
      query.setUuids("ids", ids(letters)).update();
    }
    Map<String, Set<Key>> keys = new TreeMap<>();
    for (Letter letter : letters) {
      if (letter.key != null) {
        keys.computeIfAbsent(letter.destination, name -> new HashSet<>()).add(letter.key);
      }
    }
    for (Map.Entry<String, Set<Key>> entry : keys.entrySet()) {
      ParkedWriter.wake(tx, entry.getKey(), entry.getValue());
    }
  }

  private static void audit(Database.Tx tx, List<Letter> letters, Requeue how, By by)
      throws SQLException {
    byte[] corrected = how.payload();
    String mended = corrected == null ? "" : ", payload " + digest(corrected);
    String after = "REQUEUED" + (how.newId() ? " under a new id" : "") + mended;
    List<AuditLog.Change> changes = new ArrayList<>();
    for (Letter letter : letters) {
      String before = letter.payload == null ? "DEAD" : "DEAD, payload " + letter.payload;
      changes.add(new AuditLog.Change(target(letter), before, after));
    }
    AuditLog.write(tx, by, how.once() ? "dead.send-once" : "dead.requeue", changes);
  }

  private static String target(Letter letter) {
    return "letter %s, message %s, destination %s"
        .formatted(letter.id, letter.messageId, letter.destination);
  }

  /**
   * The audit tells whether it changed, and into what; the payloads themselves are no part of it.
   */
  private static String digest(byte[] payload) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(payload);
      return payload.length + " bytes, sha-256 " + HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static List<UUID> ids(List<Letter> letters) {
    return letters.stream().map(Letter::id).toList();
  }
}
