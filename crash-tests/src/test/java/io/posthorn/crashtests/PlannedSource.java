package io.posthorn.crashtests;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Source;
import java.time.Duration;
import java.util.List;

/** Tells a {@link CrashPlan} when a feed has polled something, and when it has acknowledged. */
record PlannedSource(Source inner, CrashPlan plan, Call call) implements Source {
  @Override
  public String name() {
    return inner.name();
  }

  @Override
  public List<Finding> check(String consumer) {
    return inner.check(consumer);
  }

  @Override
  public Feed open(String consumer) {
    call.begin();
    Feed feed = inner.open(consumer);
    return new Feed() {
      @Override
      public List<Received> poll(int most, Duration wait) throws InterruptedException {
        List<Received> found = feed.poll(most, wait);
        if (!found.isEmpty()) {
          plan.reached("polled");
        }
        return found;
      }

      @Override
      public void acknowledge(List<Received> done) {
        feed.acknowledge(done);
        plan.reached("acknowledged");
      }

      @Override
      public List<Received> keep(List<Received> inHand, Duration pause)
          throws InterruptedException {
        return feed.keep(inHand, pause);
      }

      @Override
      public void close() {
        feed.close();
      }
    };
  }
}
