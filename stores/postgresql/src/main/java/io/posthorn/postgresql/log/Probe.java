package io.posthorn.postgresql.log;

import io.posthorn.core.store.Signals;
import io.posthorn.postgresql.lane.LogHead;
import io.posthorn.postgresql.lane.Snapshot;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Sql;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reports how far the log reaches, often and cheaply.
 *
 * <p>The sequence shows every message that was added, but not the commit of a transaction that had
 * added messages before the last look. The probe remembers such transactions until they end. The
 * end of one counts as news only if it has left messages in the log, because on a server that
 * others write to as well transactions end all the time.
 */
public final class Probe {
  /** With more suspects than this, the end of any of them counts as news. */
  private static final int MOST_SUSPECTS = 200;

  /** The most late transactions that are remembered. Lanes look more often than it fills up. */
  private static final int MOST_LATE = 1_000;

  // The server keeps a plan, perhaps one from when the log was empty. EXISTS may become a join,
  // which then reads the whole log; the first row of a sub-select does not.
  //
  // The age of the oldest possible id gives the next id, modulo 2^32, without assigning one.
  static final Sql HEAD =
      Sql.of(
          "probe",
          """
          SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS low,
                 pg_current_snapshot() AS now,
                 (3 + age(xid '3')::bigint) & 4294967295 AS next,
                 ARRAY (SELECT s.tx
                          FROM unnest(CAST(:suspects AS text[])) AS s (tx)
                         WHERE (SELECT true FROM posthorn_log l WHERE l.tx = CAST(s.tx AS xid8) LIMIT 1)) AS late
            FROM posthorn_seq
          """);

  static final Sql LOOK =
      Sql.of(
          "look",
          """
          SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS low,
                 pg_current_snapshot() AS now,
                 (3 + age(xid '3')::bigint) & 4294967295 AS next,
                 ARRAY (SELECT s.tx
                          FROM unnest(CAST(:suspects AS text[])) AS s (tx)
                         WHERE (SELECT true FROM posthorn_log l WHERE l.tx = CAST(s.tx AS xid8) LIMIT 1)) AS late,
                 ARRAY (SELECT d.name
                          FROM unnest(CAST(:destinations AS text[])) AS d (name)
                          LEFT JOIN LATERAL posthorn_edges(d.name) e ON true
                         WHERE (SELECT true
                                  FROM posthorn_parked p
                                 WHERE p.destination = d.name
                                   AND p.waiting <> 'TIME'
                                   AND p.next_attempt_at <= statement_timestamp()
                                   AND p.next_attempt_at >= coalesce(e.due, '-infinity')
                                 ORDER BY p.next_attempt_at
                                 LIMIT 1)
                            OR (SELECT true
                                  FROM posthorn_parked p
                                 WHERE p.destination = d.name
                                   AND p.waiting = 'TIME'
                                   AND p.next_attempt_at <= statement_timestamp()
                                   AND p.next_attempt_at >= coalesce(e.due, '-infinity')
                                 ORDER BY p.next_attempt_at
                                 LIMIT 1)
                            OR (SELECT true
                                  FROM posthorn_parked p
                                 WHERE p.destination = d.name
                                   AND p.waiting = 'BEHIND'
                                   AND p.position >= coalesce(e.behind, 0)
                                 ORDER BY p.position
                                 LIMIT 1)
                            OR (d.name = 'unrouted'
                                AND EXISTS (SELECT 1
                                              FROM posthorn_destination w
                                             WHERE w.waits_for_unrouted))) AS due,
                 ARRAY (SELECT DISTINCT l.destination
                          FROM posthorn_lane l
                          LEFT JOIN posthorn_relay r ON r.id = l.relay
                         WHERE l.destination = ANY (CAST(:destinations AS text[]))
                           AND (r.id IS NULL OR r.expires_at <= clock_timestamp())) AS free,
                 (SELECT count(*) FROM posthorn_relay a WHERE a.expires_at > clock_timestamp()) AS relays,
                 ARRAY (SELECT w.name
                          FROM posthorn_destination w
                         WHERE w.name = ANY (CAST(:destinations AS text[]))
                           AND w.rewinding IS NOT NULL) AS rewound,
                 EXISTS (SELECT 1
                           FROM posthorn_operation
                          WHERE state = 'RUNNING') AS operations,
                 ARRAY (SELECT ARRAY[s.name, s.steering_id::text]
                          FROM posthorn_destination s
                         WHERE s.name = ANY (CAST(:destinations AS text[]))) AS steered
            FROM posthorn_seq
          """);

  private final Database database;
  private final TreeSet<Long> suspects = new TreeSet<>();
  private final TreeSet<Long> late = new TreeSet<>();
  private List<Long> lateNow = List.of();

  public Probe(Database database) {
    this.database = database;
  }

  /**
   * Watches the transactions that run in this snapshot: their end may be news to a lane that read
   * by it.
   */
  synchronized void watch(Snapshot snapshot) {
    suspects.addAll(snapshot.running());
  }

  public LogHead head() {
    Set<Long> asked = suspects();
    return database.read(
        "reading the head of the log",
        HEAD,
        query ->
            Objects.requireNonNull(
                query.setTexts("suspects", texts(asked)).first(row -> head(row, asked, null))));
  }

  public Signals look(Collection<String> destinations) {
    Set<Long> asked = suspects();
    return database.read(
        "looking for work",
        LOOK,
        query ->
            Objects.requireNonNull(
                query
                    .setTexts("destinations", destinations)
                    .setTexts("suspects", texts(asked))
                    .first(
                        row ->
                            new Signals(
                                head(row, asked, Set.of(strings(row.getArray("rewound")))),
                                Set.of(strings(row.getArray("due"))),
                                Set.of(strings(row.getArray("free"))),
                                row.getInt("relays"),
                                row.getBoolean("operations"),
                                steered(row.getArray("steered"))))));
  }

  private static Map<String, UUID> steered(Array array) throws SQLException {
    Map<String, UUID> steered = new HashMap<>();
    for (Object pair : (Object[]) array.getArray()) {
      String[] named = (String[]) pair;
      steered.put(named[0], UUID.fromString(named[1]));
    }
    return steered;
  }

  private synchronized Set<Long> suspects() {
    return suspects.size() > MOST_SUSPECTS ? Set.of() : Set.copyOf(suspects);
  }

  private static List<String> texts(Set<Long> transactions) {
    return transactions.stream().map(String::valueOf).toList();
  }

  private static String[] strings(Array array) throws SQLException {
    return (String[]) array.getArray();
  }

  private LogHead head(ResultSet row, Set<Long> asked, @Nullable Set<String> rewound)
      throws SQLException {
    Snapshot now = Snapshot.parse(row.getString("now")).upToModulo(row.getLong("next"));
    String[] found = strings(row.getArray("late"));
    synchronized (this) {
      boolean more = false;
      for (String transaction : found) {
        more |= late.add(Long.parseLong(transaction));
      }
      if (suspects.size() > MOST_SUSPECTS) {
        more |= late.addAll(suspects.stream().filter(now::sees).toList());
        suspects.removeIf(now::sees);
      }
      suspects.removeIf(transaction -> asked.contains(transaction) && now.sees(transaction));
      suspects.addAll(now.running());
      while (late.size() > MOST_LATE) {
        late.pollFirst();
      }
      if (more) {
        lateNow = List.copyOf(late);
      }
      return new LogHead(row.getLong("low"), now, lateNow, rewound, null);
    }
  }
}
