package io.posthorn.kafka;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/** Waits for the brokers' answers to requests of an admin client. */
final class AdminAnswers {
  private AdminAnswers() {}

  /** Returns the answer, or throws if it has not arrived by this nano time. */
  static <T> T await(@Nullable KafkaFuture<T> answer, long until)
      throws ExecutionException, TimeoutException {
    if (answer == null) {
      throw new IllegalStateException("the client sent no request");
    }
    try {
      return answer.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }
}
