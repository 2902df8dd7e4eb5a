package io.posthorn.core.relay;

import static io.posthorn.core.relay.EngineFixture.BROKEN;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.observe.Event;
import io.posthorn.core.trace.Tracing;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SenderTest {
  private final EngineFixture lane = new EngineFixture();
  private final List<Event> events = new ArrayList<>();
  private Connector.@Nullable Answers answers;

  /** A connector that answers when the test says so. */
  private final class Waiting implements Connector {
    @Override
    public void send(List<Message> messages, Answers whenever) {
      answers = whenever;
    }

    @Override
    public boolean serves(String type) {
      return true;
    }

    @Override
    public void close() {}
  }

  /** Nobody reads the mailbox of a lane that is lost, so nothing else tells of these answers. */
  @Test
  void what_a_destination_confirms_is_told_also_after_the_lane_is_lost() {
    lane.batch("a1", "b1", "c1");
    List<TrackedDelivery> round = lane.engine.dispatch(lane.now);
    sender().send(round, lane.now);

    answers.answer(0, Outcome.SENT);
    answers.answer(1, Outcome.failed(BROKEN));
    answers.answer(2, Outcome.rejected(BROKEN));

    assertThat(events)
        .filteredOn(Event.Confirmed.class::isInstance)
        .containsExactly(new Event.Confirmed("d", round.get(0).delivery));
  }

  private Sender sender() {
    RelayContext context =
        new RelayContext(
            null,
            RelayConfig.DEFAULT,
            Runnable::run,
            null,
            null,
            () -> lane.now,
            new Random(1),
            events::add,
            Tracing.NONE,
            PayloadCipher.NONE,
            Classifier.DEFAULT);
    Destination destination = Destination.named("d", new Waiting()).types("T").build();
    return new Sender(context, destination, lane.engine, new Mailbox());
  }
}
