package io.posthorn.benchmarks;

import io.posthorn.core.store.Claim;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Settlement;
import io.posthorn.postgresql.PostgresqlStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** A lane whose messages are all parked, claimed and settled one call after the other. */
final class ParkedLane {
  private static final String DESTINATION = "bench";
  private static final ClaimLimits LIMITS = new ClaimLimits(500, 8L << 20);

  // As a consumer parks what comes behind others of its key: half of it has one key, the rest one
  // of
  // a thousand, or none.
  private static final String PARK =
      """
      INSERT INTO posthorn_parked
             (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
              occurred_at, recorded_at, seq, position, sender, waiting, next_attempt_at)
      SELECT 'bench', posthorn_uuid(), 'BenchEvent', 1, 'order', m.key, convert_to(rpad('', 200, 'x'), 'UTF8'),
             'text/plain', '{}', clock_timestamp(), clock_timestamp(), m.seq, m.seq, 'bench',
             CASE WHEN m.key IS NULL THEN 'TURN' ELSE 'BEHIND' END, CASE WHEN m.key IS NULL THEN clock_timestamp() END
        FROM (SELECT CASE n %% 4 WHEN 0 THEN NULL WHEN 1 THEN 'key-' || n / 4 %% 1000 ELSE 'hot' END AS key,
                     CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('posthorn_seq') END AS seq
                FROM generate_series(1, %d) AS n) m
      """;

  // One that fails all the time, and was there before all others.
  private static final String FAILING =
      """
      INSERT INTO posthorn_parked
             (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
              occurred_at, recorded_at, seq, position, sender, waiting, next_attempt_at, attempts)
      SELECT 'bench', posthorn_uuid(), 'BenchEvent', 1, 'order', 'failing', '', 'text/plain', '{}', clock_timestamp(),
             clock_timestamp(), m.seq, m.seq, 'bench', 'RETRY', clock_timestamp() + interval '1 day', 3
        FROM (SELECT nextval('posthorn_seq') AS seq) m
      """;

  private final Database database;
  private final PostgresqlStore store;
  private final Lane lane;
  private UUID progress;

  ParkedLane(Database database, DataSource pool) {
    this.database = database;
    this.store = PostgresqlStore.on(pool);
    List<ServedDestination> all =
        List.of(new ServedDestination(DESTINATION, Set.of(ServedDestination.ALL_TYPES)));
    store.register(DESTINATION, all);
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "bench", "bench");
    store.join(relay, all, Duration.ofHours(10));
    this.lane = store.take(relay, DESTINATION, 0).orElseThrow();
    database.execute(FAILING);
    this.progress = store.claim(lane, LIMITS).state().progress();
  }

  void park(int messages) {
    database.execute(PARK.formatted(messages));
  }

  /** How long a claim takes that finds nothing in the log, in µs. */
  double look() {
    long began = System.nanoTime();
    Claim claim = store.claim(lane, LIMITS);
    double took = (System.nanoTime() - began) / 1e3;
    progress = claim.state().progress();
    return took;
  }

  /** How long it takes to see whether there is something to do, in µs. */
  double probe() {
    long began = System.nanoTime();
    store.look(List.of(DESTINATION));
    return (System.nanoTime() - began) / 1e3;
  }

  /** What claiming and settling parked messages has taken, in µs. */
  record Took(int messages, double claim, double settle) {}

  /** Claims what is due, up to a page, and settles it as sent. */
  Took page() {
    long began = System.nanoTime();
    List<Delivery> due = store.claimParked(lane, LIMITS);
    long claimed = System.nanoTime();
    if (!due.isEmpty()) {
      List<Move> moves = new ArrayList<>();
      due.forEach(delivery -> moves.add(new Move.Sent(delivery)));
      UUID next = UUID.randomUUID();
      store.settle(
          new Settlement(lane, progress, next, List.of(), 0, List.of(), true, moves, null));
      progress = next;
    }
    return new Took(due.size(), (claimed - began) / 1e3, (System.nanoTime() - claimed) / 1e3);
  }

  void drain(int messages) {
    for (int left = messages; left > 0; ) {
      int page = page().messages;
      if (page == 0) {
        throw new BenchException(left + " parked messages are not due");
      }
      left -= page;
    }
  }
}
