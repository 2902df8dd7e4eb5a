package io.posthorn.postgresql.operate.restore;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A database is fenced while a relay runs on it. */
class FencedRelayTest {
  private final PostgresqlDatabase database = TestServer.newest().database();
  private final RestoredSite site = new RestoredSite(database.dataSource(), "production");

  @AfterEach
  void close() {
    site.close();
    database.close();
  }

  @Test
  void a_running_relay_sends_nothing_more_and_goes_on_once_the_database_is_adopted() {
    site.start();
    site.add(keyed("k", "k:1"));
    site.awaitSent(1);
    Restore restore = Restore.on(database.operator());
    assertThat(restore.fence(new Actor("script", "a copy"))).isTrue();

    site.add(keyed("k", "k:2"));
    await()
        .during(Duration.ofSeconds(2))
        .untilAsserted(() -> assertThat(site.sent("k")).containsExactly("k:1"));

    site.adopt(Adopt.SAME_HISTORY);
    site.awaitSent(3);
    assertThat(site.sent("k")).containsExactly("k:1", "k:2");
  }
}
