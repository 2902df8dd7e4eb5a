package io.posthorn.postgresql;

import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.testkit.TestLane;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** Messages that all destinations passed long ago, for tests of removal. */
public final class OldMessages {
  static final Duration AGE = Duration.ofDays(9);

  private static final String ADD =
      """
      INSERT INTO posthorn_log (id, type, aggregate_type, key, payload, content_type, headers, cipher_key, not_before)
      SELECT gen_random_uuid(), 'Tested', CASE WHEN n %% 3 > 0 THEN 'Thing' END, CASE WHEN n %% 3 > 0 THEN 'k' || n END,
             CASE WHEN n %% 5 = 0 THEN '' ELSE decode(md5(n::text) || '00ff0a', 'hex') END,
             'application/octet-stream', jsonb_build_object('n', n::text, 'quote', '"\\ ' || chr(9) || 'ü漢'),
             CASE WHEN n %% 7 = 0 THEN 'key-1' END, CASE WHEN n %% 11 = 0 THEN now() END
        FROM generate_series(1, %d) n
      """;

  private OldMessages() {}

  public static void add(PostgresqlDatabase database, int messages) {
    TestLanes lanes = new TestLanes(database);
    TestLane shop = lanes.take("shop");
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "tests", "tests");
    lanes.store().join(relay, List.of(), Duration.ofHours(1));
    Lane unrouted = lanes.store().take(relay, RelayStore.UNROUTED, 0).orElseThrow();
    database.execute(ADD.formatted(messages));
    shop.drain();
    while (lanes.store().tendUnrouted(unrouted, AGE)) {}
    database.pass(AGE);
  }
}
