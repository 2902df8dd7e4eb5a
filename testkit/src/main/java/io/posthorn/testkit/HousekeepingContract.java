package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.observe.Event;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.archive.Part;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.store.RelayStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A relay archives and removes old messages by itself, and delivers meanwhile. */
public abstract class HousekeepingContract extends RelayTopic {
  private static final Duration LONG_AGO = Duration.ofDays(9);

  private final FakeConnector shop = FakeConnector.acking();
  private final Kept archive = new Kept();

  /** An archive in memory that can be made to wait. */
  private static final class Kept implements Archive {
    private final List<Part> parts = new CopyOnWriteArrayList<>();
    private final CountDownLatch called = new CountDownLatch(1);
    private volatile CountDownLatch goOn = new CountDownLatch(0);

    @Override
    public String name() {
      return "kept";
    }

    @Override
    public void append(Part part) {
      called.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      parts.add(part);
    }
  }

  private static RelayConfig.Builder config() {
    return RelayConfig.builder()
        .lease(Duration.ofSeconds(20))
        .poll(Duration.ofMillis(2), Duration.ofMillis(50));
  }

  @Test
  void a_relay_whose_retention_is_longer_than_the_store_can_keep_does_not_start() {
    RelayConfig tooLong = config().retention(Duration.ofDays(14)).build();
    assertThatThrownBy(() -> start(relay -> relay.config(tooLong), to(SHOP, shop)))
        .hasMessageContaining("14 days")
        .hasMessageContaining("at most 13");
  }

  /** Delivers a message with a relay, and lets the time pass until it may be removed. */
  private void deliveredLongAgo() {
    start(to(SHOP, shop));
    commit(message("old"));
    eventually(
        () ->
            assertThat(store().retentionStatus(RetentionTimes.DEFAULT).unread())
                .hasSize(2)
                .allMatch(unread -> unread.bytes() == 0));
    stopRelays();
    db().pass(LONG_AGO);
  }

  @Test
  void old_messages_are_archived_and_removed() {
    countsWhatOneLaneDoes();
    deliveredLongAgo();
    start(relay -> relay.archive(archive), to(SHOP, shop));
    eventually(() -> assertThat(db().logged()).isEmpty());
    assertThat(archive.parts).singleElement().matches(part -> part.lines().size() == 1);
  }

  @Test
  void a_slow_archive_delays_neither_deliveries_nor_unrouted_messages() throws Exception {
    countsWhatOneLaneDoes();
    deliveredLongAgo();
    archive.goOn = new CountDownLatch(1);
    start(
        relay ->
            relay
                .archive(archive)
                .config(config().storeThreads(2).noRouteGrace(Duration.ofMillis(10)).build()),
        only(SHOP, shop, TestMessages.TYPE));
    archive.called.await();
    db().pass(Duration.ofMinutes(1));
    commit(message("new"), typed("Unknown", "unrouted"));
    eventually(shop, got -> assertThat(got).contains("new"));
    archive.goOn.countDown();
    eventually(() -> assertThat(db().logged()).hasSize(2));
  }

  @Test
  void dead_letters_that_expire_soon_are_reported_to_observers() {
    shop.outcome(m -> Outcome.rejected(Reason.of("HTTP_400", "no")));
    start(to(SHOP, shop));
    commit(message("bad"));
    eventually(() -> assertThat(db().dead(SHOP)).hasSize(1));
    stopRelays();
    db().pass(Duration.ofDays(25));
    start(to(SHOP, shop));
    eventually(
        () ->
            assertThat(events)
                .anyMatch(
                    event ->
                        event instanceof Event.LettersExpire soon
                            && soon.destination().equals(SHOP)
                            && soon.letters() == 1));
  }

  @Test
  void a_destination_over_its_disk_budget_is_spilled_and_loses_nothing() {
    start(to(SHOP, shop)).close();
    db().pause(SHOP, true);
    commit(keyed("a", "a1"), keyed("a", "a2"), keyed("b", "b1"));
    start(relay -> relay.config(config().diskBudget(1).build()), to(SHOP, shop));
    eventually(() -> assertThat(db().parked(SHOP)).hasSize(3));
    commit(keyed("a", "a3"));
    db().pause(SHOP, false);
    eventually(shop, got -> assertThat(got).contains("a3", "b1"));
    assertThat(contents(shop).stream().distinct()).containsSubsequence("a1", "a2", "a3").hasSize(4);
    assertThat(db().operator().audit(0, 10)).anyMatch(e -> e.action().equals("destination.spill"));
    assertThat(db().parked(RelayStore.UNROUTED)).isEmpty();
  }
}
