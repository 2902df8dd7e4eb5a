package io.posthorn.benchmarks;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A broker without cost: each feed has a list of messages in memory. */
final class HandleSource implements Source {
  private final List<HandleFeed> feeds = new ArrayList<>();
  private CountDownLatch unacknowledged = new CountDownLatch(0);

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public synchronized Feed open(String consumer) {
    HandleFeed feed = new HandleFeed();
    feeds.add(feed);
    notifyAll();
    return feed;
  }

  @Override
  public List<Finding> check(String consumer) {
    return List.of();
  }

  /** Gives each feed its share. Returns a latch that opens when all messages are acknowledged. */
  synchronized CountDownLatch fill(List<List<Received>> shares) throws InterruptedException {
    while (feeds.size() < shares.size()) {
      wait();
    }
    unacknowledged = new CountDownLatch(shares.stream().mapToInt(List::size).sum());
    for (int i = 0; i < shares.size(); i++) {
      feeds.get(i).fill(shares.get(i));
    }
    return unacknowledged;
  }

  /** A feed with its own monitor, so that feeds do not wait for each other. */
  private final class HandleFeed implements Feed {
    private List<Received> messages = List.of();
    private int next;

    private synchronized void fill(List<Received> share) {
      messages = share;
      next = 0;
      notifyAll();
    }

    @Override
    public synchronized List<Received> poll(int most, Duration wait) throws InterruptedException {
      long until = System.nanoTime() + wait.toNanos();
      for (long left = wait.toMillis();
          next == messages.size() && left > 0;
          left = (until - System.nanoTime()) / 1_000_000) {
        wait(left);
      }
      int from = next;
      next = Math.min(messages.size(), from + most);
      return messages.subList(from, next);
    }

    @Override
    public void acknowledge(List<Received> done) {
      done.forEach(received -> unacknowledged.countDown());
    }

    @Override
    public List<Received> keep(List<Received> inHand, Duration pause) throws InterruptedException {
      Thread.sleep(pause.toMillis());
      return inHand;
    }

    @Override
    public void close() {}
  }
}
