package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.store.ClusterState;
import io.posthorn.core.store.ClusterState.Holding;
import io.posthorn.core.store.ServedDestination;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/**
 * Relays that start and stop. Each of them checks the lanes now and then and carries out its part
 * of the plan; it sees what the others have done so far.
 */
class SharingSimulationTest {
  private record LaneKey(String destination, int number) {}

  private final Map<UUID, Set<String>> alive = new LinkedHashMap<>();
  private final Map<LaneKey, UUID> holders = new LinkedHashMap<>();
  private int taken;
  private int ids;

  @Test
  void three_relays_that_start_one_after_the_other_share_ten_destinations_evenly() {
    destinations(10, 1);
    for (int i = 0; i < 3; i++) {
      join(all());
      everybodyLooks(2);
    }
    assertThat(shares()).allMatch(lanes -> lanes >= 3);
    assertSettled();
  }

  @Test
  void the_lanes_of_a_destination_are_spread_over_the_relays() {
    destinations(3, 4);
    for (int i = 0; i < 4; i++) {
      join(all());
      everybodyLooks(2);
    }
    for (UUID relay : alive.keySet()) {
      for (String destination : all()) {
        assertThat(held(relay, destination)).isEqualTo(1);
      }
    }
    assertSettled();
  }

  @RepeatedTest(200)
  void it_settles_on_even_shares_whatever_happened(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    destinations(1 + random.nextInt(8), 1 + random.nextInt(6));
    for (int i = 0; i < 30; i++) {
      int what = random.nextInt(6);
      if (alive.isEmpty() || (what == 0 && alive.size() < 6)) {
        join(all());
      } else if (what == 1 && alive.size() > 1) {
        leave(new ArrayList<>(alive.keySet()).get(random.nextInt(alive.size())));
      } else {
        look(new ArrayList<>(alive.keySet()).get(random.nextInt(alive.size())));
      }
    }
    everybodyLooks(2);
    List<Integer> shares = shares();
    assertThat(shares.stream().mapToInt(Integer::intValue).sum()).isEqualTo(holders.size());
    assertThat(max(shares) - min(shares)).isLessThanOrEqualTo(1);
    for (String destination : all()) {
      List<Integer> ofIt = alive.keySet().stream().map(relay -> held(relay, destination)).toList();
      assertThat(max(ofIt) - min(ofIt)).isLessThanOrEqualTo(1);
    }
    assertSettled();
  }

  @RepeatedTest(100)
  void relays_that_serve_different_destinations_settle_and_leave_no_lane(
      RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    destinations(2 + random.nextInt(6), 1 + random.nextInt(4));
    join(all());
    for (int i = 0; i < 4; i++) {
      join(all().stream().filter(destination -> random.nextBoolean()).toList());
      look(new ArrayList<>(alive.keySet()).get(random.nextInt(alive.size())));
    }
    everybodyLooks(2);
    assertThat(holders.values()).doesNotContainNull();
    holders.forEach((lane, relay) -> assertThat(alive.get(relay)).contains(lane.destination()));
    assertSettled();
  }

  private static int max(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).max().orElseThrow();
  }

  private static int min(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).min().orElseThrow();
  }

  private void destinations(int count, int lanes) {
    for (int i = 0; i < count; i++) {
      for (int lane = 0; lane < lanes; lane++) {
        holders.put(new LaneKey("d" + i, lane), null);
      }
    }
  }

  private List<String> all() {
    return holders.keySet().stream().map(LaneKey::destination).distinct().toList();
  }

  private void join(List<String> serves) {
    alive.put(new UUID(0, ++ids), Set.copyOf(serves));
  }

  private void leave(UUID relay) {
    alive.remove(relay);
    holders.replaceAll((lane, holder) -> relay.equals(holder) ? null : holder);
  }

  /** In the order in which they started, so a relay that gives lanes back does so first or last. */
  private void everybodyLooks(int rounds) {
    IntStream.range(0, rounds).forEach(i -> List.copyOf(alive.keySet()).forEach(this::look));
  }

  private void look(UUID relay) {
    Sharing sharing = new Sharing(relay, cluster(), name -> false, name -> false);
    for (Holding lane : sharing.toGiveBack()) {
      holders.put(new LaneKey(lane.destination(), lane.lane()), null);
    }
    for (Holding lane : sharing.toTake(Set.of())) {
      LaneKey key = new LaneKey(lane.destination(), lane.lane());
      holders.put(key, relay);
      taken++;
    }
  }

  private void assertSettled() {
    int before = taken;
    everybodyLooks(3);
    assertThat(taken).isEqualTo(before);
    assertThat(holders.values()).doesNotContainNull();
  }

  private ClusterState cluster() {
    List<ClusterState.Member> relays = new ArrayList<>();
    alive.forEach(
        (id, serves) ->
            relays.add(
                new ClusterState.Member(
                    id, serves.stream().map(SharingSimulationTest::serving).toList())));
    List<Holding> lanes = new ArrayList<>();
    holders.forEach(
        (lane, holder) ->
            lanes.add(new Holding(lane.destination(), lane.number(), holder, holder == null)));
    return new ClusterState(
        relays, lanes, all().stream().map(SharingSimulationTest::serving).toList());
  }

  private static ServedDestination serving(String destination) {
    return new ServedDestination(destination, Set.of("T"));
  }

  private int held(UUID relay, String destination) {
    return (int)
        holders.entrySet().stream()
            .filter(entry -> relay.equals(entry.getValue()))
            .filter(entry -> entry.getKey().destination().equals(destination))
            .count();
  }

  private List<Integer> shares() {
    return alive.keySet().stream()
        .map(relay -> (int) holders.values().stream().filter(relay::equals).count())
        .toList();
  }
}
