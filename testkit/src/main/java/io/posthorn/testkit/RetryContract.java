package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.SendLimit;
import io.posthorn.core.store.Store;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Retries beside a backlog of many pages, to a destination that takes a hundred a second. */
public abstract class RetryContract extends RelayTopic {
  private static final int BATCH = 200;
  private static final int BACKLOG = 20 * BATCH;
  private static final int KEYS = 50;

  /** A message that fails once; it is retried a page and a half later. */
  private static final String FAILING = "k7:2";

  /**
   * Messages behind it for a second and a half. The ready queue alone holds 200, the reserve 400
   * more.
   */
  private static final int SOON = 150;

  private final FakeConnector shop = FakeConnector.acking();
  private final AtomicInteger calls = new AtomicInteger();

  @Test
  void a_retry_does_not_wait_for_the_backlog_of_a_slow_destination() {
    shop.outcome(
        m -> {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
          return failsOnce(TestMessages.content(m));
        });
    retriesSoon(to(SHOP, shop).limit(SendLimit.DEFAULT.maxInFlight(4)));
  }

  /**
   * Each page has messages of the key of the retry, and takes less time than passes between two
   * settles. So whenever one page is settled, the next one has parked such messages in memory.
   */
  @Test
  void a_retry_does_not_wait_for_a_backlog_whose_every_page_has_messages_behind_it() {
    shop.outcome(
        m -> {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
          return failsOnce(TestMessages.content(m));
        });
    start(to(SHOP, FakeConnector.acking())).close();
    commit(many(600, 10));
    start(
        relay -> relay.config(RelayConfig.builder().batchSize(40).build()),
        to(SHOP, shop).limit(SendLimit.DEFAULT.maxInFlight(1)));
    eventually(shop, got -> assertThat(attempts(got)).isEqualTo(2));
    List<String> got = contents(shop);
    assertThat(got.lastIndexOf(FAILING) - got.indexOf(FAILING)).isLessThan(SOON);
  }

  @Test
  void a_retry_does_not_wait_for_the_backlog_of_a_limited_destination() {
    shop.outcome(m -> failsOnce(TestMessages.content(m)));
    retriesSoon(to(SHOP, shop).limit(SendLimit.DEFAULT.perSecond(100)));
  }

  private Outcome failsOnce(String content) {
    return content.equals(FAILING) && attempts(contents(shop)) == 1
        ? Outcome.failed(Reason.of("HTTP_500", "500"))
        : Outcome.SENT;
  }

  private static long attempts(List<String> got) {
    return got.stream().filter(FAILING::equals).count();
  }

  private void retriesSoon(Destination.Builder slow) {
    start(to(SHOP, FakeConnector.acking())).close();
    commit(many(BACKLOG, KEYS));
    long began = System.nanoTime();
    start(
        counting(db().anotherStore()),
        relay -> relay.config(RelayConfig.builder().batchSize(BATCH).build()),
        slow);
    eventually(shop, got -> assertThat(attempts(got)).isEqualTo(2));
    List<String> got = contents(shop);
    assertThat(got.lastIndexOf(FAILING) - got.indexOf(FAILING)).isLessThan(SOON * db().lanes());
    // Those of its key that were in reserve meanwhile follow it in their order.
    int behind = 2 * BATCH / KEYS + 2;
    eventually(shop, all -> assertThat(ofItsKey(all)).hasSizeGreaterThan(behind));
    assertThat(ofItsKey(contents(shop)))
        .isSortedAccordingTo(Comparator.naturalOrder())
        .containsSequence(IntStream.range(2, behind).boxed().toList());
    if (db().lanes() == 1) {
      double perSecond = calls.get() / ((System.nanoTime() - began) / 1e9);
      assertThat(perSecond).as("claims of parked messages, and settles, a second").isLessThan(10);
    }
  }

  private static List<Integer> ofItsKey(List<String> got) {
    return got.stream()
        .filter(content -> content.startsWith("k7:"))
        .map(content -> Integer.parseInt(content.substring(3)))
        .toList();
  }

  private Store counting(Store store) {
    return Around.calls(
        Store.class,
        store,
        (name, call) -> {
          if (name.equals("claimParked") || name.equals("settle")) {
            calls.incrementAndGet();
          }
          return call.proceed();
        });
  }
}
