package io.posthorn.postgresql.operate.restore;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Refused;
import io.posthorn.postgresql.Tables;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.testkit.TestLane;
import io.posthorn.testservers.EmbeddedPostgres;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The data directory of production is copied, and both servers run with the same identifier. */
class ColdCopyTest {
  @Test
  void a_copy_sends_nothing_until_it_is_adopted_and_then_what_was_undelivered() {
    try (EmbeddedPostgres original = EmbeddedPostgres.builder().start()) {
      new Migrations(Tables.DEFAULT).migrate(original.dataSource());
      TestLanes lanes = new TestLanes(original.dataSource());
      lanes.store().verify("production");
      TestLane lane = lanes.take("shop");
      lanes.add(keyed("k", "k:1"), keyed("l", "l:1"));
      assertThat(lane.drain()).containsExactly("k:1", "l:1");
      lanes.add(keyed("k", "k:2"), keyed("k", "k:3"));
      lanes.store().release(lane.lane());
      original.stop();
      try (EmbeddedPostgres copy = original.coldCopy()) {
        original.start();
        copy.start();
        assertThat(identifier(copy.dataSource())).isEqualTo(identifier(original.dataSource()));
        try (RestoredSite production = new RestoredSite(original.dataSource(), "production");
            RestoredSite staging = new RestoredSite(copy.dataSource(), "staging")) {
          Refused.with(ErrorCode.ENVIRONMENT_DIFFERS, staging::start)
              .hasMessageContaining("'production'")
              .hasMessageContaining("posthorn adopt --environment staging --as-sent");
          production.start();
          production.add(keyed("k", "k:4 of production"));
          staging.add(keyed("k", "k:4 of staging"));

          staging.adopt(Adopt.SEND_UNDELIVERED);
          staging.start();
          staging.add(keyed("k", "k:5 of staging"));

          staging.awaitSent(4);
          production.awaitSent(3);
          assertThat(staging.sent("k"))
              .containsExactly("k:2", "k:3", "k:4 of staging", "k:5 of staging");
          assertThat(production.sent("k")).containsExactly("k:2", "k:3", "k:4 of production");
        }
      }
    }
  }

  private static long identifier(DataSource dataSource) {
    return Jdbc.number(dataSource, "SELECT system_identifier FROM pg_control_system()");
  }
}
