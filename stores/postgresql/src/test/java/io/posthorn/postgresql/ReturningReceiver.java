package io.posthorn.postgresql;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.testkit.TestMessages;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A receiver that several relays send to. It is unavailable at first, counts its load when it
 * returns, and expects the numbers of each key from 1 on, in order.
 */
final class ReturningReceiver implements Connector {
  private static final Outcome AWAY =
      Outcome.unavailable(Reason.of(Reason.UNREACHABLE, "it is away"));

  private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
  private final Map<String, Integer> numbers = new ConcurrentHashMap<>();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger arrived = new AtomicInteger();
  private final AtomicInteger wrong = new AtomicInteger();
  private final AtomicInteger atOnce = new AtomicInteger();
  private final AtomicInteger mostAtOnce = new AtomicInteger();
  private volatile boolean away = true;

  @Override
  public void send(List<Message> messages, Answers answers) {
    for (int i = 0; i < messages.size(); i++) {
      if (away) {
        refused.incrementAndGet();
        answers.answer(i, AWAY);
      } else {
        int index = i;
        Message message = messages.get(i);
        mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
        threads.schedule(() -> take(message, index, answers), 1, TimeUnit.MILLISECONDS);
      }
    }
  }

  private void take(Message message, int index, Answers answers) {
    String[] words = TestMessages.content(message).split(":");
    int number = Integer.parseInt(words[1]);
    if (numbers.merge(words[0], 1, Integer::sum) != number) {
      wrong.incrementAndGet();
    }
    arrived.incrementAndGet();
    atOnce.decrementAndGet();
    answers.answer(index, Outcome.SENT);
  }

  void comeBack() {
    away = false;
  }

  int refused() {
    return refused.get();
  }

  int arrived() {
    return arrived.get();
  }

  int wrong() {
    return wrong.get();
  }

  int mostAtOnce() {
    return mostAtOnce.get();
  }

  @Override
  public boolean serves(String type) {
    return true;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
