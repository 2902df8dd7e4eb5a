package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.testkit.FakeConnector.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FakeConnectorTest {
  private final FakeConnector connector = FakeConnector.acking();
  private final List<String> answers = new ArrayList<>();

  private void send(Message... messages) {
    connector.send(
        List.of(messages),
        (index, outcome) -> answers.add(index + " " + outcome.getClass().getSimpleName()));
  }

  @Test
  void it_acknowledges_all_and_remembers_what_it_got() {
    Message first = message("1");
    Message second = message("2");
    send(first, second);
    send(message("3"));
    assertThat(answers).containsExactly("0 Sent", "1 Sent", "0 Sent");
    assertThat(connector.received()).hasSize(3).startsWith(first, second);
    assertThat(connector.calls()).hasSize(2);
  }

  @Test
  void it_answers_by_script() {
    connector.outcome(
        message ->
            TestMessages.content(message).equals("bad")
                ? Outcome.rejected(Reason.of("BAD", "bad"))
                : Outcome.SENT);
    send(message("good"), message("bad"));
    assertThat(answers).containsExactly("0 Sent", "1 Rejected");
  }

  @Test
  void it_answers_late_on_command() {
    connector.reply(message -> Reply.late(Outcome.SENT));
    send(message("1"), message("2"));
    assertThat(answers).isEmpty();
    assertThat(connector.waitingForAnswers()).isEqualTo(2);
    assertThat(connector.answerLate()).isEqualTo(2);
    assertThat(answers).hasSize(2);
    assertThat(connector.answerLate()).isZero();
  }

  @Test
  void it_answers_twice_or_never() {
    connector.reply(
        message ->
            TestMessages.content(message).equals("twice")
                ? Reply.twice(Outcome.SENT)
                : Reply.never());
    send(message("never"), message("twice"));
    assertThat(answers).containsExactly("1 Sent", "1 Sent");
  }

  @Test
  void it_acknowledges_a_random_part() {
    connector.ackSome(1, 0.5);
    send(IntStream.range(0, 100).mapToObj(i -> message("" + i)).toArray(Message[]::new));
    assertThat(answers).hasSizeBetween(30, 70);
  }

  @Test
  void it_throws_by_script() {
    connector.reply(message -> Reply.thrown(new IllegalStateException("broken")));
    assertThatThrownBy(() -> send(message("1"))).hasMessage("broken");
    assertThat(answers).isEmpty();
  }

  @Test
  void it_blocks_until_it_is_unblocked() throws Throwable {
    connector.block();
    Background sending = Background.run(() -> send(message("1")));
    Background.await("the call", () -> connector.received().size() == 1);
    assertThat(answers).isEmpty();
    connector.unblock();
    sending.join();
    assertThat(answers).containsExactly("0 Sent");
  }

  @Test
  void it_serves_only_the_types_it_was_given() {
    connector.serving(type -> type.equals("A"));
    assertThat(connector.serves("A")).isTrue();
    assertThat(connector.serves("B")).isFalse();
    connector.close();
    assertThat(connector.isClosed()).isTrue();
  }
}
