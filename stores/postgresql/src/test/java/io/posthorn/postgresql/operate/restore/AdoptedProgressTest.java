package io.posthorn.postgresql.operate.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A copy by logical replication has the rows, but its sequences start from the beginning. */
class AdoptedProgressTest {
  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final TestLanes lanes = new TestLanes(database);

  @AfterEach
  void discard() {
    database.discard();
  }

  private void tendUnrouted() {
    lanes.commit("of the day");
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "tests", "tests");
    lanes.store().join(relay, List.of(), Duration.ofHours(1));
    Lane unrouted = lanes.store().take(relay, RelayStore.UNROUTED, 0).orElseThrow();
    while (lanes.store().tendUnrouted(unrouted, Duration.ofDays(1))) {}
  }

  @Test
  void the_progress_that_a_destination_stands_at_outlives_retention() {
    database.execute("SELECT setval('posthorn_progress_n', 1000000)");
    lanes.take("shop");
    lanes.commit("1");
    database.execute("SELECT setval('posthorn_progress_n', 1)");
    database.execute("UPDATE posthorn_relay SET expires_at = clock_timestamp()");
    Restore.on(lanes.store())
        .adopt("test", Adopt.SEND_UNDELIVERED, new Actor("anna", "an upgrade"));
    lanes.commit("2");
    for (int day = 0; day < 10; day++) {
      database.pass(Duration.ofDays(1));
      tendUnrouted();
      lanes.store().purge(RetentionTimes.DEFAULT, Archive.NONE, step -> true);
    }
    assertThat(lanes.take("shop").drain()).startsWith("2");
  }
}
