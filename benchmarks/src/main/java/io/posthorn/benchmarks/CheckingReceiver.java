package io.posthorn.benchmarks;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.util.BitSet;
import java.util.List;

/**
 * A destination that acknowledges every message at once, and counts lost, duplicate and reordered
 * messages.
 */
final class CheckingReceiver implements Connector {
  private final int messages;
  private final BitSet seen;
  private final int[] lastOfKey = new int[Backlog.KEYS];
  private double duplicates;
  private double reordered;
  private double peakHeap;

  CheckingReceiver(int messages) {
    this.messages = messages;
    this.seen = new BitSet(messages + 1);
  }

  @Override
  public synchronized void send(List<Message> batch, Answers answers) {
    for (int i = 0; i < batch.size(); i++) {
      see(Backlog.number(batch.get(i)));
      answers.answer(i, Outcome.SENT);
    }
    Runtime runtime = Runtime.getRuntime();
    peakHeap = Math.max(peakHeap, (double) (runtime.totalMemory() - runtime.freeMemory()));
  }

  private void see(int n) {
    if (seen.get(n)) {
      duplicates++;
      return;
    }
    seen.set(n);
    int key = n % Backlog.KEYS;
    if (n < lastOfKey[key]) {
      reordered++;
    }
    lastOfKey[key] = n;
  }

  synchronized BacklogChild.Result result(double perSecond, double memoryMb) {
    return new BacklogChild.Result(
        perSecond,
        messages - seen.cardinality(),
        duplicates,
        reordered,
        peakHeap / 1048576.0,
        memoryMb);
  }

  @Override
  public boolean serves(String type) {
    return true;
  }

  @Override
  public void close() {}
}
