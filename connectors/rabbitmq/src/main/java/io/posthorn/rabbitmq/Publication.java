package io.posthorn.rabbitmq;

import io.posthorn.core.connector.Connector.Answers;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One message on its way. It is answered once, by whoever comes first: the broker, the end of its
 * channel, the clock.
 */
final class Publication {
  private final Message message;
  private final int index;
  private final Answers answers;
  private final long deadline;
  private final AtomicBoolean answered = new AtomicBoolean();
  private volatile int size;
  private volatile boolean returned;

  Publication(Message message, int index, Answers answers, long deadline) {
    this.message = message;
    this.index = index;
    this.answers = answers;
    this.deadline = deadline;
  }

  Message message() {
    return message;
  }

  /** Of the body, in bytes. */
  int size() {
    return size;
  }

  void size(int bytes) {
    this.size = bytes;
  }

  /** The broker found no queue for it. A confirm follows all the same. */
  void markReturned() {
    this.returned = true;
  }

  boolean wasReturned() {
    return returned;
  }

  boolean isAnswered() {
    return answered.get();
  }

  boolean isOverdue(long now) {
    return now - deadline >= 0;
  }

  void answer(Outcome outcome) {
    if (answered.compareAndSet(false, true)) {
      answers.answer(index, outcome);
    }
  }
}
