package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.store.Delivery;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandedOverTest {
  @Test
  void a_connector_learns_a_message_s_place_in_the_log() {
    EngineFixture lane = new EngineFixture();
    List<Delivery> batch = lane.batch("a1", "b1");
    List<TrackedDelivery> round = lane.engine.dispatch(lane.now);
    assertThat(round).hasSize(2);
    assertThat(lane.engine.messageToSend(round.get(1)).sequence())
        .isEqualTo(batch.get(1).seq())
        .isPositive();
    assertThat(batch.get(1).message().sequence()).isZero();
  }
}
