package io.posthorn.rabbitmq;

import io.posthorn.core.connector.Connector.Answers;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One message in flight. It is answered once, by the first of three: the broker, the end of its
 * channel, or its deadline.
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

  /** The size of the body in bytes. */
  int size() {
    return size;
  }

  void size(int bytes) {
    this.size = bytes;
  }

  /** Notes that the broker found no queue for the message. A confirm still follows. */
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
