package io.posthorn.test;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A stand-in for a broker: messages stay and are delivered again until they are acknowledged. */
final class TestSource implements Source {
  private static final String SENDER = "test";

  private final List<Received> messages = new ArrayList<>();
  private int polled;

  synchronized void publish(Message... more) {
    for (Message message : more) {
      messages.add(new Received(SENDER, message, false, new Object()));
    }
  }

  synchronized List<String> due() {
    return messages.stream().map(Received::toString).toList();
  }

  synchronized void empty() {
    messages.clear();
    polled = 0;
  }

  @Override
  public String name() {
    return "the test";
  }

  @Override
  public List<Finding> check(String consumer) {
    return List.of();
  }

  @Override
  public synchronized Feed open(String consumer) {
    polled = 0;
    return new TestFeed();
  }

  private synchronized List<Received> poll(int most) {
    List<Received> next =
        List.copyOf(messages.subList(polled, Math.min(messages.size(), polled + most)));
    polled += next.size();
    return next;
  }

  private synchronized void acknowledge(List<Received> done) {
    int before = messages.size();
    messages.removeAll(done);
    polled -= before - messages.size();
  }

  private final class TestFeed implements Feed {
    @Override
    public List<Received> poll(int most, Duration wait) throws InterruptedException {
      List<Received> next = TestSource.this.poll(most);
      if (next.isEmpty()) {
        // Waits only briefly, because a run cannot end before this returns.
        Thread.sleep(Math.min(wait.toMillis(), 5));
      }
      return next;
    }

    @Override
    public void acknowledge(List<Received> done) {
      TestSource.this.acknowledge(done);
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
