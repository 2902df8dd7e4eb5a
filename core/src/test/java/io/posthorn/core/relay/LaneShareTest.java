package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The limits are the destination's: its lanes share them, and do not multiply them. */
class LaneShareTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final Destination destination =
      Destination.named("d", EngineFixture.noConnector())
          .types("T")
          .limit(SendLimit.DEFAULT.perSecond(40))
          .build();

  private static List<LaneShare.Member> join(LaneShare share, int held, int lanes) {
    List<LaneShare.Member> members = new ArrayList<>();
    for (int lane = 0; lane < held; lane++) {
      members.add(share.join(lane, lanes, () -> {}));
    }
    return members;
  }

  /** Returns how many messages pass in ten seconds, after the burst of the beginning. */
  private static int passing(List<LaneShare.Member> lanes) {
    int passed = 0;
    for (long now = SECOND; now < 12 * SECOND; now += SECOND / 1_000) {
      for (LaneShare.Member lane : lanes) {
        if (lane.tryTake(now) && now >= 2 * SECOND) {
          passed++;
        }
      }
    }
    return passed;
  }

  @Test
  void all_lanes_in_one_relay_have_the_rate_together() {
    assertThat(passing(join(new LaneShare(destination, 0), 4, 4))).isBetween(395, 405);
  }

  @Test
  void a_relay_with_one_of_four_lanes_has_a_quarter_of_the_rate() {
    assertThat(passing(join(new LaneShare(destination, 0), 1, 4))).isBetween(95, 105);
  }

  @Test
  void a_lane_with_work_uses_the_rate_of_those_without() {
    LaneShare.Member busy = join(new LaneShare(destination, 0), 4, 4).get(2);
    assertThat(passing(List.of(busy))).isBetween(395, 405);
  }

  @Test
  void a_rate_that_a_person_sets_is_shared_too() {
    List<LaneShare.Member> lanes = join(new LaneShare(destination, 0), 2, 4);
    lanes.forEach(lane -> lane.rate(20));
    assertThat(passing(lanes)).isBetween(95, 105);
  }

  @Test
  void a_lane_that_ended_takes_its_part_of_the_rate_along() {
    List<LaneShare.Member> lanes = join(new LaneShare(destination, 0), 2, 4);
    lanes.get(0).end(0);
    lanes.get(0).end(0);
    assertThat(passing(List.of(lanes.get(1)))).isBetween(95, 105);
  }

  @Test
  void the_parts_of_all_lanes_are_the_messages_that_may_be_in_flight() {
    for (int limit : List.of(4, 5, 7, 1_000)) {
      List<LaneShare.Member> lanes = join(new LaneShare(destination, 0), 4, 4);
      assertThat(IntStream.range(0, 4).map(lane -> lanes.get(lane).part(limit)).sum())
          .isEqualTo(limit);
    }
  }
}
