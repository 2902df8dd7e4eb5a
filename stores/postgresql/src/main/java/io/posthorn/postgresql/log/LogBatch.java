package io.posthorn.postgresql.log;

import io.posthorn.core.message.Key;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.lane.Buckets;
import io.posthorn.postgresql.lane.Window;
import io.posthorn.postgresql.route.Routes;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * A batch of the log: a page of a stored window, and the buckets and routes that it was filtered
 * by.
 */
record LogBatch(
    Lane lane,
    Page page,
    Window window,
    List<Long> ahead,
    Buckets buckets,
    Routes routes,
    UUID progress,
    Instant claimedAt,
    Set<Key> blocked)
    implements Batch {
  @Override
  public List<Delivery> deliveries() {
    return page.deliveries();
  }

  @Override
  public long start() {
    return page.start();
  }

  @Override
  public long end() {
    return page.end();
  }

  @Override
  public boolean more() {
    return page.more();
  }
}
