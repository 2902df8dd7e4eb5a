package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lanes share the places of a connector in turn. */
class ConnectorPlacesTest {
  private final ConnectorPlaces places = new ConnectorPlaces();
  private final List<String> called = new ArrayList<>();
  private final ConnectorPlaces.Member first = new ConnectorPlaces.Member(() -> called.add("1st"));
  private final ConnectorPlaces.Member second = new ConnectorPlaces.Member(() -> called.add("2nd"));
  private final ConnectorPlaces.Member third = new ConnectorPlaces.Member(() -> called.add("3rd"));

  @Test
  void together_they_never_have_more_in_flight_than_there_are_places() {
    assertThat(places.tryEnter(first, 2, 0)).isTrue();
    assertThat(places.tryEnter(second, 2, 0)).isTrue();
    assertThat(places.tryEnter(first, 2, 0)).isFalse();
    assertThat(places.tryEnter(second, 2, 0)).isFalse();
  }

  @Test
  void a_free_place_goes_to_the_lane_that_waits_and_not_to_the_one_that_gave_it_back() {
    places.tryEnter(first, 1, 0);
    assertThat(places.tryEnter(second, 1, 0)).isFalse();
    places.leave(first, 1, 0);
    assertThat(called).containsExactly("2nd");
    assertThat(places.tryEnter(first, 1, 0)).isFalse();
    assertThat(places.tryEnter(second, 1, 0)).isTrue();
  }

  @Test
  void each_lane_that_waits_gets_its_turn() {
    List<ConnectorPlaces.Member> lanes = List.of(first, second, third);
    List<Integer> order = new ArrayList<>();
    places.tryEnter(first, 1, 0);
    lanes.forEach(lane -> places.tryEnter(lane, 1, 0));
    ConnectorPlaces.Member inside = first;
    for (int turn = 0; turn < 6; turn++) {
      places.leave(inside, 1, 0);
      for (ConnectorPlaces.Member lane : lanes) {
        if (places.tryEnter(lane, 1, 0)) {
          inside = lane;
          order.add(lanes.indexOf(lane));
          places.tryEnter(lane, 1, 0);
        }
      }
    }
    assertThat(order).containsExactly(0, 1, 2, 0, 1, 2);
  }

  @Test
  void a_lane_that_does_not_come_when_called_keeps_no_other_from_its_place_for_long() {
    places.tryEnter(first, 1, 0);
    places.tryEnter(second, 1, 0);
    places.leave(first, 1, 0);
    assertThat(places.tryEnter(third, 1, 0)).isFalse();
    long later = places.tryAgainAt(1, 0) + 1;
    assertThat(later).isLessThan(Duration.ofMillis(100).toNanos());
    assertThat(places.tryEnter(third, 1, later)).isTrue();
    assertThat(places.tryEnter(second, 1, later)).isFalse();
    places.leave(third, 1, later);
    assertThat(called).containsExactly("2nd", "2nd");
  }

  @Test
  void a_lane_that_needs_no_place_any_more_leaves_it_to_the_next() {
    places.tryEnter(first, 1, 0);
    places.tryEnter(second, 1, 0);
    places.tryEnter(third, 1, 0);
    places.leave(first, 1, 0);
    places.waitsNoLonger(second, 1, 0);
    assertThat(called).containsExactly("2nd", "3rd");
    assertThat(places.tryEnter(third, 1, 0)).isTrue();
  }

  @Test
  void a_lane_that_ended_with_messages_in_flight_holds_no_place() {
    places.tryEnter(first, 1, 0);
    places.tryEnter(second, 1, 0);
    places.remove(first, 1, 0);
    assertThat(called).containsExactly("2nd");
    assertThat(places.tryEnter(second, 1, 0)).isTrue();
  }
}
