package io.posthorn.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.SendLimit;
import io.posthorn.core.store.Start;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A receiver was unavailable and many messages wait: it is not flooded when it returns. */
@Tag("slow")
class AfterOutageTest {
  private static final int KEYS = 500;
  private static final int EACH = 200;
  private static final int LIMIT = 100;
  private static final int RELAYS = 3;

  /** Long enough for the pauses between probes to grow. */
  private static final Duration OUTAGE = Duration.ofSeconds(4);

  /**
   * The messages that each relay has in flight when it notices the outage, and some probes. Without
   * pauses between them, tens of thousands would be sent.
   */
  private static final int MOST_REFUSED = (RELAYS + 1) * LIMIT;

  private static final String GATHER =
      """
      INSERT INTO posthorn_log (id, type, aggregate_type, key, payload)
      SELECT gen_random_uuid(), 'Tested', 'Thing', 'k' || k, convert_to('k' || k || ':' || n, 'UTF8')
        FROM generate_series(1, %d) n, generate_series(1, %d) k
       ORDER BY n, k
      """;

  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final ReturningReceiver receiver = new ReturningReceiver();
  private final List<Relay> relays = new ArrayList<>();

  @AfterEach
  void close() {
    relays.forEach(Relay::close);
    receiver.close();
    database.discard();
  }

  @Test
  void a_hundred_thousand_messages_wait_out_an_outage_and_go_in_order_and_within_the_limit() {
    database.execute(GATHER.formatted(EACH, KEYS));
    for (int i = 0; i < RELAYS; i++) {
      relays.add(relay());
    }
    await().until(() -> receiver.refused() > 0);
    LockSupport.parkNanos(OUTAGE.toNanos());
    assertThat(receiver.refused()).as("sends while it was away").isLessThanOrEqualTo(MOST_REFUSED);
    receiver.comeBack();
    await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> receiver.arrived() >= KEYS * EACH && unsettled() == 0);
    assertThat(receiver.arrived()).isEqualTo(KEYS * EACH);
    assertThat(receiver.wrong()).as("out of order").isZero();
    assertThat(receiver.mostAtOnce()).as("at once").isBetween(2, LIMIT);
    assertThat(database.dead("shop")).isEmpty();
    assertThat(count("posthorn_attempt")).as("attempts that count").isZero();
    assertThat(count("posthorn_parked")).isZero();
  }

  private Relay relay() {
    return Relay.on(database.anotherStore(), "tests", "test")
        .config(RelayConfig.builder().poll(Duration.ofMillis(2), Duration.ofMillis(100)).build())
        .destination(
            Destination.named("shop", receiver)
                .allTypes()
                .startAt(Start.EARLIEST)
                .limit(SendLimit.DEFAULT.maxInFlight(LIMIT))
                .build())
        .build()
        .start();
  }

  /** Counts windows that are still open. */
  private long unsettled() {
    return database
        .query(
            "SELECT count(*) FROM (SELECT s2 FROM posthorn_progress WHERE destination = "
                + "'shop' ORDER BY n DESC LIMIT 1) newest WHERE s2 IS NOT NULL",
            row -> row.getLong(1))
        .get(0);
  }

  private long count(String table) {
    return Jdbc.number(database.dataSource(), "SELECT count(*) FROM " + table);
  }
}
