package io.posthorn.postgresql.operate.restore;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.store.Batch;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Tables;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.testkit.TestLane;
import io.posthorn.testservers.EmbeddedPostgres;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A standby that lacks the last transactions becomes the primary while the relay runs. The relay
 * knows the ids that it hands out as those of other messages that were delivered before.
 */
class PromotedCopyTest {
  @Test
  void messages_written_on_the_promoted_standby_are_not_skipped() {
    try (EmbeddedPostgres primary = EmbeddedPostgres.builder().start()) {
      new Migrations(Tables.DEFAULT).migrate(primary.dataSource());
      EmbeddedPostgres standby = primary.standby();
      try {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(primary.jdbcUrl());
        TestLanes lanes = new TestLanes(dataSource);
        TestLane lane = lanes.take("shop");
        lanes.commit("replicated");
        assertThat(lane.drain()).containsExactly("replicated");
        standby.awaitReplayOf(primary);
        standby.stop();
        // These messages exist only on the old primary; some are settled, some only claimed.
        for (int i = 0; i < 30; i++) {
          lanes.commit("gone " + i);
        }
        assertThat(lane.drain(TestLane.atMost(7))).hasSize(30);
        lanes.commit("claimed and gone");
        Batch batch = lane.batch();
        primary.kill();
        standby.start();
        standby.promote();
        dataSource.setUrl(standby.jdbcUrl());

        assertThatThrownBy(() -> lane.settle(batch)).isInstanceOf(LaneLostException.class);
        List<String> expected = new ArrayList<>();
        for (int i : IntStream.range(0, 50).toArray()) {
          lanes.commit("new " + i);
          expected.add("new " + i);
        }
        assertThat(lane.drain(TestLane.atMost(7))).isEqualTo(expected);
      } finally {
        standby.close();
      }
    }
  }

  @Test
  void an_ordinary_failover_needs_no_adopting() {
    try (EmbeddedPostgres primary = EmbeddedPostgres.builder().start()) {
      new Migrations(Tables.DEFAULT).migrate(primary.dataSource());
      try (EmbeddedPostgres standby = primary.standby()) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(primary.jdbcUrl());
        try (RestoredSite site = new RestoredSite(dataSource, "production")) {
          site.start();
          site.add(keyed("k", "k:1"));
          site.awaitSent(1);
          site.stop();
          site.add(keyed("k", "k:2"));
          standby.awaitReplayOf(primary);
          primary.kill();
          standby.promote();
          dataSource.setUrl(standby.jdbcUrl());

          site.start();
          site.add(keyed("k", "k:3"));
          site.awaitSent(4);
          assertThat(site.sent("k")).containsExactly("k:1", "k:2", "k:3");
        }
      }
    }
  }
}
