package io.posthorn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** One call of {@code send} and the answers to it. */
final class ConnectorCalls {
  private final List<Message> messages;
  private final Map<Integer, List<Outcome>> answers = new TreeMap<>();

  private ConnectorCalls(List<Message> messages) {
    this.messages = messages;
  }

  static ConnectorCalls send(Connector connector, Message... messages) {
    return send(connector, List.of(messages));
  }

  static ConnectorCalls send(Connector connector, List<Message> messages) {
    ConnectorCalls call = new ConnectorCalls(messages);
    connector.send(messages, call::answer);
    return call;
  }

  private synchronized void answer(int index, Outcome outcome) {
    answers.computeIfAbsent(index, i -> new ArrayList<>()).add(outcome);
  }

  /** Those answered so far. */
  synchronized List<Outcome> outcomes() {
    return answers.values().stream().map(list -> list.get(0)).toList();
  }

  synchronized Outcome outcome(Message message) {
    return Objects.requireNonNull(answers.get(messages.indexOf(message)), "no answer").get(0);
  }

  synchronized List<Message> sent() {
    return answers.entrySet().stream()
        .filter(entry -> entry.getValue().contains(Outcome.SENT))
        .map(entry -> messages.get(entry.getKey()))
        .toList();
  }

  /** Waits until all are answered; fails if one is answered twice. */
  ConnectorCalls answered(Duration within) {
    await().atMost(within).until(() -> outcomes().size() == messages.size());
    assertAnsweredOnce();
    return this;
  }

  synchronized void assertAnsweredOnce() {
    assertThat(answers).allSatisfy((index, outcomes) -> assertThat(outcomes).hasSize(1));
  }
}
