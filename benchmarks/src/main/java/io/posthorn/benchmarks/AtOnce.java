package io.posthorn.benchmarks;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.util.List;

/** A destination that acknowledges every message at once and does nothing with it. */
final class AtOnce implements Connector {
  @Override
  public void send(List<Message> messages, Answers answers) {
    for (int i = 0; i < messages.size(); i++) {
      answers.answer(i, Outcome.SENT);
    }
  }

  @Override
  public boolean serves(String type) {
    return true;
  }

  @Override
  public void close() {}
}
