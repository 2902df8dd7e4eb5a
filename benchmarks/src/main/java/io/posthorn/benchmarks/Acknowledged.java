package io.posthorn.benchmarks;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.util.List;
import java.util.function.IntConsumer;

/** Wraps a connector, and reports the number of each message that the receiver has acknowledged. */
final class Acknowledged implements Connector {
  private final Connector connector;
  private final IntConsumer listener;

  Acknowledged(Connector connector, IntConsumer listener) {
    this.connector = connector;
    this.listener = listener;
  }

  @Override
  public void send(List<Message> messages, Answers answers) {
    connector.send(
        messages,
        (index, outcome) -> {
          if (outcome.equals(Outcome.SENT)) {
            listener.accept(NumberedReceiver.number(messages.get(index).payload()));
          }
          answers.answer(index, outcome);
        });
  }

  @Override
  public boolean serves(String type) {
    return connector.serves(type);
  }

  @Override
  public int maxInFlight() {
    return connector.maxInFlight();
  }

  @Override
  public void close() {
    connector.close();
  }
}
