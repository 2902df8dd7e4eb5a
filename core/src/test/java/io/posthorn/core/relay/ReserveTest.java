package io.posthorn.core.relay;

import static io.posthorn.core.relay.EngineFixture.BROKEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Delivery;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A message is parked while a page is in reserve that was read before and does not know it. */
class ReserveTest {
  private final EngineFixture lane = new EngineFixture();

  /** Stores message a1 as parked, while a page is in reserve that was read before that. */
  private Delivery parkBehindAPage(EngineFixture with) {
    with.batch("a1", "b1");
    with.dispatch();
    with.engine.chains().readBegins();
    with.sent("b1");
    Delivery parked = with.engine.logBatches().peek().deliveries.get(0).delivery.asParked();
    with.answer("a1", Outcome.failedByMessage(BROKEN));
    with.dispatch();
    assertThat(with.moves()).containsExactly("a1 RETRY 1");
    with.settle();
    return parked;
  }

  @Test
  void a_retry_goes_when_it_is_due_whatever_stands_in_reserve() {
    Delivery a1 = parkBehindAPage(lane);
    lane.engine.takeParked(List.of(a1));
    assertThat(lane.dispatch()).containsExactly("a1");
  }

  @Test
  void what_the_page_holds_of_the_key_queues_up_while_the_retry_is_under_way() {
    lane.engine.takeParked(List.of(parkBehindAPage(lane)));
    lane.dispatch();
    lane.batch("a2");
    assertThat(lane.dispatch()).isEmpty();
    assertThat(lane.moves()).containsExactly("a2 TURN 0");
  }

  @Test
  void what_the_page_holds_of_the_key_queues_up_after_the_retry_was_sent() {
    lane.engine.takeParked(List.of(parkBehindAPage(lane)));
    lane.dispatch();
    lane.sent("a1");
    lane.settle();
    lane.batch("a2");
    assertThat(lane.dispatch()).as("others may be parked that only the database knows").isEmpty();
    assertThat(lane.moves()).containsExactly("a2 TURN 0");
  }

  @Test
  void what_the_page_holds_of_the_key_queues_up_after_the_retry_is_dead() {
    for (AfterDead afterDead : AfterDead.values()) {
      EngineFixture with = new EngineFixture(choices -> choices.afterDead("T", afterDead));
      with.engine.takeParked(List.of(parkBehindAPage(with)));
      with.dispatch();
      with.answer("a1", Outcome.rejected(BROKEN));
      with.settle();
      with.batch("a2");
      assertThat(with.dispatch()).isEmpty();
      assertThat(with.moves()).containsExactly("a2 TURN 0");
    }
  }

  @Test
  void a_parked_message_waits_while_one_of_its_key_is_not_stored_yet() {
    Delivery a1 = parkBehindAPage(lane);
    lane.batch("a2");
    assertThat(lane.engine.takeParked(List.of(a1)))
        .as("nothing is sent, and there is nothing to settle")
        .isNull();
    assertThat(lane.dispatch()).isEmpty();
    lane.settle();
    lane.engine.takeParked(List.of(a1));
    assertThat(lane.dispatch()).containsExactly("a1");
  }
}
