package io.posthorn.postgresql.operate.deadletter;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Sha256;
import io.posthorn.postgresql.lane.Lanes;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Locks dead letters for a decision, always in the same order, and sorts out those that are
 * refused.
 */
final class LockedLetters {
  private static final Sql DESTINATIONS =
      Sql.of(
          "find destinations of letters",
          """
          SELECT DISTINCT destination
            FROM posthorn_dead
           WHERE id = ANY (:ids)
          """);

  private static final Sql LOCK_LETTERS =
      Sql.of(
          "lock letters",
          """
          SELECT id, destination, message_id, aggregate_type, key, state, reason, cipher_key,
                 CASE WHEN :corrected THEN payload END AS payload
            FROM posthorn_dead
           WHERE id = ANY (:ids)
           ORDER BY id
             FOR NO KEY UPDATE
          """);

  // Letters behind such keys would wait for a person, and an operation would wait for the letters.
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

  /**
   * A letter before the decision. If a corrected payload replaces its own, {@code payload} is the
   * digest of the old one.
   *
   * @param known whether its destination still exists
   */
  record Letter(
      UUID id,
      String destination,
      boolean known,
      UUID messageId,
      @Nullable Key key,
      String state,
      String reason,
      @Nullable String cipherKey,
      @Nullable String payload) {
    String target() {
      return "letter %s, message %s, destination %s".formatted(id, messageId, destination);
    }
  }

  private LockedLetters() {}

  /**
   * Locks and returns the letters that still wait. The lanes of all their destinations are locked
   * first.
   */
  static List<Letter> lock(
      Database.Tx tx, List<UUID> ids, boolean corrected, Map<UUID, String> refused)
      throws SQLException {
    List<String> destinations;
    try (Query query = tx.query(DESTINATIONS)) {
      destinations = query.setUuids("ids", ids).rows(row -> row.getString("destination"));
    }
    Set<String> known = Lanes.lock(tx, destinations);
    Map<UUID, Letter> found = new TreeMap<>();
    try (Query query = tx.query(LOCK_LETTERS)) {
      query
          .setUuids("ids", ids)
          .set("corrected", corrected)
          .rows(row -> letter(row, known))
          .forEach(letter -> found.put(letter.id, letter));
    }
    List<Letter> waiting = new ArrayList<>();
    for (UUID id : new HashSet<>(ids)) {
      Letter letter = found.get(id);
      if (letter == null) {
        refused.put(id, "there is no letter with this id");
      } else if (!letter.state.equals("DEAD")) {
        refused.put(id, "it no longer waits for a decision: its state is " + letter.state);
      } else {
        waiting.add(letter);
      }
    }
    return waiting;
  }

  /** Refuses letters whose key is held or paused because of a letter outside this selection. */
  static List<Letter> free(Database.Tx tx, List<Letter> letters, Map<UUID, String> refused)
      throws SQLException {
    try (Query query = tx.query(BEHIND_OTHERS)) {
      query
          .setUuids("ids", ids(letters))
          .rows(row -> row.getObject("id", UUID.class))
          .forEach(id -> refused.put(id, "its key is held or paused"));
    }
    return letters.stream().filter(letter -> !refused.containsKey(letter.id)).toList();
  }

  /**
   * Refuses letters whose id belongs to another message. Receivers would take such a letter for a
   * corrected payload of the other message, and would never handle that one.
   */
  static List<Letter> withAnIdOfTheirOwn(List<Letter> letters, Map<UUID, String> refused) {
    List<Letter> own = new ArrayList<>();
    for (Letter letter : letters) {
      if (letter.reason.equals(Reason.ID_REUSED)) {
        refused.put(
            letter.id,
            "its id %s belongs to another message; requeue it under a new id, or discard it"
                .formatted(letter.messageId));
      } else {
        own.add(letter);
      }
    }
    return own;
  }

  /** Refuses letters whose destination was removed. */
  static List<Letter> withADestination(List<Letter> letters, Map<UUID, String> refused) {
    for (Letter letter : letters) {
      if (!letter.known) {
        refused.put(
            letter.id,
            "its destination '%s' was removed; start a relay that is configured for it, which registers it again, or discard the letter"
                .formatted(letter.destination));
      }
    }
    return letters.stream().filter(Letter::known).toList();
  }

  private static Letter letter(ResultSet row, Set<String> known) throws SQLException {
    byte[] payload = row.getBytes("payload");
    return new Letter(
        row.getObject("id", UUID.class),
        row.getString("destination"),
        known.contains(row.getString("destination")),
        row.getObject("message_id", UUID.class),
        MessageRow.key(row),
        row.getString("state"),
        row.getString("reason"),
        row.getString("cipher_key"),
        payload == null ? null : digest(payload));
  }

  /**
   * Returns a digest for the audit, which records whether a payload changed but never contains
   * payloads.
   */
  static String digest(byte[] payload) {
    return payload.length + " bytes, sha-256 " + HexFormat.of().formatHex(Sha256.of(payload));
  }

  static List<UUID> ids(List<Letter> letters) {
    return letters.stream().map(Letter::id).toList();
  }
}
