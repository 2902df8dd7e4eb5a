package io.posthorn.core.relay;

import static io.posthorn.core.relay.EngineFixture.BROKEN;
import static io.posthorn.core.relay.EngineFixture.DOWN;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.store.Delivery;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A message that always fails, while no other can show whether it is at fault. */
class LoneMessageTest {
  private static final Duration A_WHILE = Duration.ofMinutes(1);
  private static final Duration A_DAY = Duration.ofHours(24);
  private static final Duration LESS = A_DAY.minusSeconds(1);

  private final EngineFixture lane = new EngineFixture(choices -> choices.breakerAfter(3));

  /** Tries these messages while the breaker is open, until the engine decides something. */
  private List<String> fails(Outcome outcome, Delivery... deliveries) {
    lane.engine.takeParked(Arrays.asList(deliveries));
    for (int i = 0; i < 2 * deliveries.length; i++) {
      lane.pass(A_WHILE);
      lane.dispatch().forEach(name -> lane.answer(name, outcome));
    }
    List<String> moves = lane.moves();
    lane.settle();
    return moves;
  }

  /** Opens the breaker by a message that is settled afterwards. */
  private void breakerIsOpen() {
    lane.batch("z1");
    lane.dispatch();
    lane.answer("z1", Outcome.unavailable(DOWN));
    for (int i = 0; i < 2; i++) {
      lane.pass(A_WHILE);
      lane.answer(lane.dispatch().get(0), Outcome.unavailable(DOWN));
    }
    lane.settle();
    assertThat(lane.engine.breaker().isOpen()).isTrue();
  }

  @Test
  void after_the_time_limit_it_is_dead_if_the_receiver_is_found_well() {
    breakerIsOpen();
    lane.engine.blame().checked(true, lane.now);
    assertThat(fails(Outcome.unavailable(DOWN), lane.suspect("a1", LESS)))
        .containsExactly("a1 RETRY 0");
    assertThat(fails(Outcome.unavailable(DOWN), lane.suspect("a1", A_DAY)))
        .containsExactly("a1 DEAD RETRY_EXHAUSTED 1");
    assertThat(fails(Outcome.failed(BROKEN), lane.suspect("a1", A_DAY)))
        .containsExactly("a1 DEAD RETRY_EXHAUSTED 1");
  }

  @Test
  void an_outage_kills_nothing_however_long_it_takes() {
    breakerIsOpen();
    lane.engine.blame().checked(false, lane.now);
    assertThat(fails(Outcome.unavailable(DOWN), lane.suspect("a1", A_DAY.multipliedBy(30))))
        .containsExactly("a1 RETRY 0");
  }

  @Test
  void that_the_receiver_was_well_before_it_stopped_answering_does_not_count() {
    lane.engine.blame().checked(true, lane.now);
    lane.pass(A_WHILE);
    breakerIsOpen();
    assertThat(fails(Outcome.unavailable(DOWN), lane.suspect("a1", A_DAY)))
        .containsExactly("a1 RETRY 0");
  }

  @Test
  void where_many_keys_fail_it_is_the_destination_s_fault_whatever_a_look_finds() {
    breakerIsOpen();
    lane.engine.blame().checked(true, lane.now);
    assertThat(
            fails(Outcome.unavailable(DOWN), lane.suspect("a1", A_DAY), lane.suspect("b1", A_DAY)))
        .containsExactly("a1 RETRY 0", "b1 RETRY 0");
  }

  @Test
  void it_is_not_given_up_while_another_waits_that_could_tell() {
    breakerIsOpen();
    lane.engine.blame().checked(true, lane.now);
    lane.engine.takeParked(List.of(lane.suspect("a1", A_DAY), lane.suspect("z2", LESS)));
    lane.pass(A_WHILE);
    lane.answer(lane.dispatch().get(0), Outcome.failed(DOWN));
    assertThat(lane.moves()).containsExactly("a1 RETRY 0");
  }
}
