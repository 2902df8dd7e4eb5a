package io.posthorn.benchmarks;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * A destination that reports the number of each message it gets, as {@link Writers#message} set it.
 */
final class NumberedReceiver implements Connector {
  private static final int DIGITS_AT = "{\"n\":".length();

  private final IntConsumer receiver;

  NumberedReceiver(IntConsumer receiver) {
    this.receiver = receiver;
  }

  @Override
  public void send(List<Message> messages, Answers answers) {
    for (int i = 0; i < messages.size(); i++) {
      receiver.accept(number(messages.get(i).payload()));
      answers.answer(i, Outcome.SENT);
    }
  }

  static int number(byte[] payload) {
    int n = 0;
    for (int i = DIGITS_AT; payload[i] != ','; i++) {
      n = n * 10 + payload[i] - '0';
    }
    return n;
  }

  @Override
  public boolean serves(String type) {
    return true;
  }

  @Override
  public void close() {}
}
