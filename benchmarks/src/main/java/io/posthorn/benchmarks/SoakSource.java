package io.posthorn.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A broker in memory with an endless supply of messages, which it does not store. For one thread.
 */
final class SoakSource implements Source {
  private final String type;
  private final PacedNumbers paced;

  SoakSource(String type, PacedNumbers paced) {
    this.type = type;
    this.paced = paced;
  }

  @Override
  public String name() {
    return "endless";
  }

  @Override
  public List<Finding> check(String consumer) {
    return List.of();
  }

  @Override
  public Feed open(String consumer) {
    return new Feed() {
      @Override
      public List<Received> poll(int most, Duration wait) throws InterruptedException {
        List<Received> received = new ArrayList<>();
        for (long n : paced.next(most, wait)) {
          Message message =
              Message.of(type)
                  .key("soak", "key-" + n % Backlog.KEYS)
                  .json(Long.toString(n).getBytes(UTF_8))
                  .build();
          received.add(new Received("soak", message.withSequence(n)));
        }
        return received;
      }

      @Override
      public void acknowledge(List<Received> done) {}

      @Override
      public List<Received> keep(List<Received> inHand, Duration pause)
          throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        return inHand;
      }

      @Override
      public void close() {}
    };
  }
}
