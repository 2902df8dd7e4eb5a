package io.posthorn.rabbitmq;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import io.posthorn.testservers.Cut;
import io.posthorn.testservers.Direction;
import io.posthorn.testservers.StreamMatcher;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Only a message that the broker has confirmed counts as sent. */
class ConfirmTest {
  private final RabbitMqFixture rabbit = new RabbitMqFixture();
  private final RabbitMqConnector connector = new RabbitMqConnector(rabbit.config().build());

  @AfterEach
  void close() {
    connector.close();
    rabbit.close();
  }

  @Test
  void a_message_whose_confirm_is_lost_is_not_sent_although_it_arrived() {
    assertThat(Sent.once(connector, message("before"))).isEqualTo("Sent");
    Cut cut = rabbit.proxy.cutBeforeReply(StreamMatcher.token("cut here"));
    assertThat(Sent.once(connector, message("cut here"))).isEqualTo("Unavailable UNREACHABLE");
    cut.awaitSettled(Duration.ofSeconds(10));
    assertThat(rabbit.arrived()).hasSize(2);
    assertThat(Sent.once(connector, message("after"))).isEqualTo("Sent");
  }

  @Test
  void a_message_that_never_got_there_is_not_sent() {
    assertThat(Sent.once(connector, message("before"))).isEqualTo("Sent");
    rabbit.proxy.cutBeforeForward(StreamMatcher.token("cut here"));
    assertThat(Sent.once(connector, message("cut here"))).isEqualTo("Unavailable UNREACHABLE");
    assertThat(rabbit.arrived()).hasSize(1);
  }

  @Test
  void when_only_some_confirms_come_only_those_are_sent() {
    Random random = new Random(3);
    int some = 0;
    // A broker that is busy confirms all of a run with one frame; then further runs are needed.
    for (int run = 0; run < 20 || (some == 0 && run < 200); run++) {
      assertThat(Sent.once(connector, message("open"))).isEqualTo("Sent");
      rabbit.proxy.cutAfterBytes(Direction.TO_CLIENT, 1 + random.nextInt(400));
      List<Message> messages =
          IntStream.range(0, 300).mapToObj(i -> keyed("k" + i, "content " + i)).toList();
      List<Outcome> outcomes = Sent.outcomes(connector, messages);
      List<Message> sent =
          IntStream.range(0, 300)
              .filter(i -> outcomes.get(i).equals(Outcome.SENT))
              .mapToObj(messages::get)
              .toList();
      assertThat(rabbit.arrived()).containsAll(sent);
      some += !sent.isEmpty() && sent.size() < 300 ? 1 : 0;
      rabbit.proxy.pass();
    }
    assertThat(some).as("runs in which only some were confirmed").isPositive();
  }

  @Test
  void a_returned_message_is_not_sent_although_the_broker_confirms_it() {
    rabbit.removeAddress();
    assertThat(Sent.all(connector, keyed("a", "1"), keyed("b", "2")))
        .containsOnly("Unavailable NO_QUEUE");
    assertThat(rabbit.arrived()).isEmpty();
  }

  @Test
  void a_confirm_that_comes_too_late_marks_nothing() {
    assertThat(Sent.once(connector, message("before"))).isEqualTo("Sent");
    rabbit.proxy.hold();
    assertThat(Sent.all(connector, keyed("a", "1"), keyed("b", "2")))
        .containsOnly("Unavailable TIMEOUT");
    rabbit.proxy.pass();
    assertThat(Sent.once(connector, keyed("a", "1 again"))).isEqualTo("Sent");
  }

  @Test
  void sending_again_at_once_after_a_timeout_does_not_use_the_dead_connection() {
    assertThat(Sent.once(connector, message("before"))).isEqualTo("Sent");
    CompletableFuture<Outcome> again = new CompletableFuture<>();
    rabbit.proxy.hold();
    connector.send(
        List.of(message("1")),
        (index, late) -> {
          connector.send(List.of(message("2")), (i, outcome) -> again.complete(outcome));
          await().until(() -> rabbit.proxy.accepted() == 2);
          rabbit.proxy.pass();
        });
    assertThat(again.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo(Outcome.SENT);
  }
}
