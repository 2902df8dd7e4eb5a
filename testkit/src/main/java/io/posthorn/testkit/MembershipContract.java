package io.posthorn.testkit;

import static io.posthorn.testkit.TestLane.ALL;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.store.ClusterState;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One owner for each lane, by leases on the database's clock that are never revived. */
public abstract class MembershipContract extends Contract {
  @Test
  void a_lane_has_one_owner() {
    register(SHOP, "*");
    RelayIdentity first = join(store());
    RelayIdentity second = join(store());
    assertThat(store().take(first, SHOP, 0)).isPresent();
    assertThat(store().take(second, SHOP, 0)).isEmpty();
  }

  @Test
  void of_many_relays_that_take_a_lane_at_once_one_gets_it() throws Throwable {
    register(SHOP, "*");
    AtomicInteger granted = new AtomicInteger();
    List<Background> all =
        java.util.stream.IntStream.range(0, 8)
            .mapToObj(
                i ->
                    Background.run(
                        () -> {
                          if (store().take(join(store()), SHOP, 0).isPresent()) {
                            granted.incrementAndGet();
                          }
                        }))
            .toList();
    for (Background one : all) {
      one.join();
    }
    assertThat(granted).hasValue(1);
  }

  @Test
  void a_lane_can_be_taken_once_its_owner_has_been_silent_for_the_lease() {
    register(SHOP, "*");
    RelayIdentity first = join(store());
    Lane lost = store().take(first, SHOP, 0).orElseThrow();
    db().pass(LEASE);
    Lane taken = store().take(join(store()), SHOP, 0).orElseThrow();
    assertThat(taken.token()).isNotEqualTo(lost.token());
    assertThatThrownBy(() -> store().claim(lost, ALL)).isInstanceOf(LaneLostException.class);
  }

  @Test
  void heartbeats_keep_the_lane() {
    register(SHOP, "*");
    RelayIdentity first = join(store());
    store().take(first, SHOP, 0);
    for (int i = 0; i < 3; i++) {
      db().pass(LEASE.minusMinutes(1));
      assertThat(store().beat(first, LEASE)).isPresent();
    }
    assertThat(store().take(join(store()), SHOP, 0)).isEmpty();
  }

  @Test
  void a_clock_that_is_set_back_does_not_leave_lanes_with_a_dead_relay() {
    register(SHOP, "*");
    RelayIdentity dead = join(store());
    store().take(dead, SHOP, 0);
    RelayIdentity alive = join(store());
    db().pass(Duration.ofDays(-1));
    assertThat(store().beat(alive, LEASE)).isPresent();
    db().pass(LEASE.minusMinutes(1));
    assertThat(store().beat(alive, LEASE)).isPresent();
    assertThat(store().take(alive, SHOP, 0)).isEmpty();
    db().pass(Duration.ofMinutes(1));
    assertThat(store().take(alive, SHOP, 0)).isPresent();
  }

  @Test
  void a_clock_that_is_set_back_takes_no_lane_from_a_living_relay() {
    register(SHOP, "*");
    RelayIdentity owner = join(store());
    store().take(owner, SHOP, 0);
    RelayIdentity other = join(store());
    db().pass(Duration.ofDays(-1));
    for (int i = 0; i < 3; i++) {
      assertThat(store().beat(other, LEASE)).isPresent();
      assertThat(store().beat(owner, LEASE)).isPresent();
      assertThat(store().take(other, SHOP, 0)).isEmpty();
      db().pass(LEASE.minusMinutes(1));
    }
  }

  @Test
  void an_expired_lease_is_never_revived() {
    RelayIdentity relay = join(store());
    db().pass(LEASE);
    assertThat(store().beat(relay, LEASE)).isEmpty();
    assertThat(store().beat(relay, LEASE)).isEmpty();
  }

  @Test
  void a_relay_whose_lease_has_expired_takes_no_lane() {
    register(SHOP, "*");
    RelayIdentity relay = join(store());
    db().pass(LEASE);
    assertThat(store().take(relay, SHOP, 0)).isEmpty();
  }

  @Test
  void a_relay_learns_of_a_lost_lane_at_its_next_heartbeat() {
    register(SHOP, "*");
    RelayIdentity first = join(store());
    store().take(first, SHOP, 0);
    db().pass(LEASE);
    store().take(join(store()), SHOP, 0);
    assertThat(store().beat(first, LEASE)).isEmpty();
  }

  @Test
  void a_relay_that_takes_its_own_lane_again_gets_a_new_token() {
    register(SHOP, "*");
    RelayIdentity relay = join(store());
    Lane first = store().take(relay, SHOP, 0).orElseThrow();
    // As if the answer of the first call had been lost.
    Lane second = store().take(relay, SHOP, 0).orElseThrow();
    assertThatThrownBy(() -> store().claim(first, ALL)).isInstanceOf(LaneLostException.class);
    assertThat(store().claim(second, ALL).batch()).isNull();
  }

  @Test
  void a_released_lane_is_free_at_once_and_its_token_is_invalid() {
    TestLane shop = serve(SHOP);
    store().release(shop.lane());
    assertThatThrownBy(() -> shop.claim(ALL)).isInstanceOf(LaneLostException.class);
    assertThat(take(SHOP).claim(ALL).batch()).isNull();
  }

  @Test
  void a_lane_is_released_by_its_owner_only() {
    TestLane first = serve(SHOP);
    TestLane second = takeOver(SHOP);
    store().release(first.lane());
    assertThat(second.claim(ALL).batch()).isNull();
  }

  @Test
  void a_relay_that_leaves_releases_all_its_lanes() {
    register(SHOP, "*");
    RelayIdentity relay = join(store());
    Lane lane = store().take(relay, SHOP, 0).orElseThrow();
    assertThat(store().take(relay, RelayStore.UNROUTED, 0)).isPresent();
    store().leave(relay);
    assertThatThrownBy(() -> store().claim(lane, ALL)).isInstanceOf(LaneLostException.class);
    take(SHOP);
    take(RelayStore.UNROUTED);
    assertThat(store().beat(relay, LEASE)).isEmpty();
  }

  @Test
  void a_lane_that_does_not_exist_is_not_granted() {
    assertThat(store().take(join(store()), "nobody", 0)).isEmpty();
    register(SHOP, "*");
    assertThat(store().take(join(store()), SHOP, 7)).isEmpty();
  }

  @Test
  void a_heartbeat_returns_the_live_relays_what_they_serve_and_which_lanes_they_hold() {
    register(SHOP, "A", "B");
    RelayIdentity gone = join(store());
    db().pass(LEASE);
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "new", APPLICATION);
    store().join(relay, List.of(new ServedDestination(SHOP, Set.of("A"))), LEASE);
    RelayIdentity idle = new RelayIdentity(UUID.randomUUID(), "idle", APPLICATION);
    store().join(idle, List.of(), LEASE);
    store().take(relay, SHOP, 0);
    ClusterState members = store().beat(relay, LEASE).orElseThrow();
    assertThat(members.relays())
        .extracting(ClusterState.Member::id)
        .containsExactlyInAnyOrder(relay.id(), idle.id())
        .doesNotContain(gone.id());
    assertThat(members.routesTo(SHOP).types()).containsExactlyInAnyOrder("A", "B");
    assertThat(members.lanes())
        .containsExactlyInAnyOrder(
            new ClusterState.Holding(SHOP, 0, relay.id(), false),
            new ClusterState.Holding(RelayStore.UNROUTED, 0, null, true));
    ClusterState.Member me =
        members.relays().stream().filter(m -> m.id().equals(relay.id())).findFirst().orElseThrow();
    assertThat(me.serves()).containsExactly(new ServedDestination(SHOP, Set.of("A")));
    assertThat(me.servesAll(members.routesTo(SHOP))).isFalse();
  }

  @Test
  void a_lane_whose_owner_is_silent_is_shown_as_free() {
    register(SHOP, "*");
    RelayIdentity first = join(store());
    store().take(first, SHOP, 0);
    db().pass(LEASE);
    RelayIdentity second = join(store());
    ClusterState members = store().beat(second, LEASE).orElseThrow();
    assertThat(members.lanes()).contains(new ClusterState.Holding(SHOP, 0, first.id(), true));
  }

  @Test
  void concurrent_heartbeats_and_takeovers_leave_one_owner() throws Throwable {
    register(SHOP, "*");
    for (int i = 0; i < 20; i++) {
      RelayIdentity first = new RelayIdentity(UUID.randomUUID(), "first", APPLICATION);
      store().join(first, List.of(), Duration.ofMillis(5));
      Optional<Lane> held = store().take(first, SHOP, 0);
      RelayIdentity second = join(store());
      boolean[] beaten = new boolean[1];
      Background beating = Background.run(() -> beaten[0] = store().beat(first, LEASE).isPresent());
      Optional<Lane> taken = store().take(second, SHOP, 0);
      beating.join();
      if (held.isPresent()) {
        assertThat(beaten[0] && taken.isPresent()).as("both own the lane").isFalse();
      }
      store().leave(first);
      store().leave(second);
    }
  }

  @Test
  void a_new_owner_wakes_messages_that_wait_for_a_turn_that_never_comes() {
    TestLane shop = serve(SHOP);
    commit(keyed("k", "1"), message("2"));
    var batch = shop.batch();
    // As a relay that forgot which message this one waits for.
    shop.settle(batch, Moves.turn(batch.deliveries().get(0)));
    assertThat(TestLane.contents(takeOver(SHOP).parked())).containsExactly("1");
  }
}
