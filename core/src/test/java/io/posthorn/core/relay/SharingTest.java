package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.store.ClusterState;
import io.posthorn.core.store.ServedDestination;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SharingTest {
  private static final UUID ME = new UUID(0, 1);
  private static final UUID OTHER = new UUID(0, 2);

  private final List<ClusterState.Member> relays = new ArrayList<>();
  private final List<ClusterState.Holding> lanes = new ArrayList<>();
  private final List<ServedDestination> routes = new ArrayList<>();
  private final Set<String> openToAll = new HashSet<>();

  @Test
  void a_lone_relay_takes_everything_it_serves() {
    relay(ME, serves("a", "T"), serves("b", "T"));
    free("a");
    free("b");
    free("c");
    assertThat(taken(Set.of())).containsExactly("a", "b");
  }

  @Test
  void two_relays_share_out_the_destinations() {
    relay(ME, serves("a", "T"), serves("b", "T"));
    relay(OTHER, serves("a", "T"), serves("b", "T"));
    free("a");
    free("b");
    assertThat(taken(Set.of())).hasSize(1);
  }

  @Test
  void a_lane_that_nobody_comes_for_is_taken_beyond_the_fair_share() {
    relay(ME, serves("a", "T"), serves("b", "T"));
    relay(OTHER, serves("a", "T"), serves("b", "T"));
    held("a", ME);
    free("b");
    assertThat(taken(Set.of())).isEmpty();
    assertThat(taken(Set.copyOf(lanes))).containsExactly("b");
  }

  @Test
  void a_relay_above_its_share_gives_back_all_that_the_others_should_have() {
    for (String name : List.of("a", "b", "c", "d")) {
      held(name, ME);
    }
    relay(ME, serves("a", "T"), serves("b", "T"), serves("c", "T"), serves("d", "T"));
    relay(OTHER, serves("a", "T"), serves("b", "T"), serves("c", "T"), serves("d", "T"));
    assertThat(given()).hasSize(2);
  }

  @Test
  void an_even_share_stays_as_it_is() {
    relay(ME, serves("a", "T"), serves("b", "T"));
    relay(OTHER, serves("a", "T"), serves("b", "T"));
    held("a", ME);
    held("b", OTHER);
    assertThat(given()).isEmpty();
    assertThat(taken(Set.of())).isEmpty();
  }

  @Test
  void a_relay_that_lacks_code_leaves_the_lane_to_one_that_has_it() {
    relay(ME, serves("a", "Old"));
    relay(OTHER, serves("a", "Old", "New"));
    routes.add(serves("a", "Old", "New"));
    held("a", ME);
    assertThat(given()).containsExactly("a");
    lanes.clear();
    free("a");
    assertThat(taken(Set.copyOf(lanes))).isEmpty();
  }

  @Test
  void a_relay_that_lacks_code_is_better_than_one_that_does_not_come() {
    relay(ME, serves("a", "Old"));
    relay(OTHER, serves("a", "Old", "New"));
    routes.add(serves("a", "Old", "New"));
    free("a");
    openToAll.add("a");
    assertThat(taken(Set.copyOf(lanes))).containsExactly("a");
    lanes.clear();
    held("a", ME);
    assertThat(given()).isEmpty();
  }

  @Test
  void a_relay_that_lacks_code_serves_the_rest_if_nobody_else_can() {
    relay(ME, serves("a", "Old"));
    routes.add(serves("a", "Old", "New"));
    free("a");
    assertThat(taken(Set.of())).containsExactly("a");
  }

  private Sharing sharing() {
    return new Sharing(
        ME, new ClusterState(relays, lanes, routes), destination -> false, openToAll::contains);
  }

  private List<String> taken(Set<ClusterState.Holding> unclaimed) {
    return sharing().toTake(unclaimed).stream().map(ClusterState.Holding::destination).toList();
  }

  private List<String> given() {
    return sharing().toGiveBack().stream().map(ClusterState.Holding::destination).toList();
  }

  private void relay(UUID id, ServedDestination... serves) {
    relays.add(new ClusterState.Member(id, List.of(serves)));
  }

  private static ServedDestination serves(String destination, String... types) {
    return new ServedDestination(destination, Set.of(types));
  }

  private void free(String destination) {
    lane(destination, null);
  }

  private void held(String destination, UUID holder) {
    lane(destination, holder);
  }

  private void lane(String destination, @Nullable UUID holder) {
    lanes.add(new ClusterState.Holding(destination, 0, holder, holder == null));
  }
}
