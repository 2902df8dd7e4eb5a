package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.store.Move;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A settle leaves out or replaces what the database refuses. */
class RefusalsTest {
  private static final Outcome REJECTED = Outcome.rejected(Reason.of("HTTP_400", "½"));

  private final EngineFixture lane = new EngineFixture();
  private final Refusals refusals = lane.engine.refusals();

  private boolean refuse() {
    return refusals.refused(new Settling(lane.engine).withMoves(), lane.now);
  }

  @Test
  void a_refused_settle_is_cut_in_halves_until_one_message_is_alone() {
    lane.batch("a1", "b1", "c1", "d1");
    lane.dispatch();
    for (String name : List.of("a1", "b1", "c1", "d1")) {
      lane.answer(name, REJECTED);
    }
    refuse();
    assertThat(lane.moves()).hasSize(2);
    refuse();
    assertThat(lane.moves()).hasSize(1);
    lane.settle();
    assertThat(lane.moves()).hasSize(2);
  }

  @Test
  void nothing_of_a_key_is_settled_before_what_is_left_out_of_it() {
    lane.batch("a1", "b1", "b2", "a2");
    lane.dispatch();
    lane.answer("a1", REJECTED);
    lane.answer("b1", REJECTED);
    lane.dispatch();
    lane.sent("a2", "b2");
    refuse();
    assertThat(lane.moves()).hasSize(1);
    assertThat(lane.settlement().last()).isEqualTo(1);
    assertThat(lane.settlement().ahead()).containsExactly(4L);
    assertThat(lane.settlement().whole()).isFalse();
  }

  @Test
  void the_guilty_one_is_written_with_less_each_time_and_then_left_out_for_a_minute() {
    lane.batch("a1", "b1");
    lane.dispatch();
    lane.answer("a1", REJECTED);
    lane.sent("b1");
    assertThat(refuse()).isFalse();
    Move.Die scrubbed = (Move.Die) lane.settlement().moves().get(0);
    assertThat(scrubbed.code()).isEqualTo(Reason.STORE_REFUSED);
    assertThat(scrubbed.reason().text()).isASCII();
    assertThat(scrubbed.attempts()).isEqualTo(1);
    assertThat(refuse()).isFalse();
    assertThat(lane.settlement().moves()).hasOnlyElementsOfType(Move.Bury.class);
    assertThat(refuse()).isTrue();
    assertThat(lane.settlement().moves()).isEmpty();
    assertThat(lane.settlement().ahead()).containsExactly(2L);
    lane.now += Refusals.AGAIN_AFTER - 1;
    refusals.retryStuckIfDue(lane.now);
    assertThat(lane.settlement().moves()).isEmpty();
    lane.now++;
    refusals.retryStuckIfDue(lane.now);
    assertThat(lane.settlement().moves()).hasOnlyElementsOfType(Move.Die.class);
  }

  @Test
  void of_a_parked_message_that_was_sent_nothing_is_left_but_that_it_goes() {
    lane.engine.takeParked(List.of(lane.parked("a1", 1, Duration.ZERO)));
    lane.dispatch();
    lane.sent("a1");
    assertThat(refuse()).isFalse();
    assertThat(lane.settlement().moves()).hasOnlyElementsOfType(Move.Forget.class);
    assertThat(refuse()).isTrue();
  }

  @Test
  void a_message_that_cannot_be_read_is_buried_and_never_handed_over() {
    var deliveries = new ArrayList<>(List.of(lane.delivery("T", "a2", null)));
    deliveries.replaceAll(d -> d.unreadable(Reason.of(Reason.STORE_REFUSED, "no such time")));
    lane.batch("a1");
    lane.take(Set.of(), deliveries);
    lane.batch("a3");
    assertThat(lane.dispatch()).containsExactly("a1");
    lane.sent("a1");
    assertThat(lane.dispatch()).containsExactly("a3");
    assertThat(lane.settlement().moves()).hasOnlyElementsOfType(Move.Bury.class).hasSize(1);
  }
}
