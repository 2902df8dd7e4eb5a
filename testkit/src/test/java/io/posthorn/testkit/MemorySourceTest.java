package io.posthorn.testkit;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Source;
import io.posthorn.core.source.Unreadable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The broker in memory is no kinder than the real ones. */
class MemorySourceTest extends SourceContract {
  @Override
  protected SourceFixture fixture() {
    return new InMemory();
  }

  private static final class InMemory implements SourceFixture {
    private final MemorySource source = new MemorySource(4, 7).sender(SENDER).withoutSequences();

    @Override
    public String name() {
      return "memory";
    }

    @Override
    public Set<Ability> can() {
      return Set.of(Ability.TAKE_BACK);
    }

    @Override
    public Source source() {
      return source;
    }

    @Override
    public void send(List<Message> messages) {
      source.publish(messages.toArray(Message[]::new));
    }

    /** There is no envelope to be read, so what a connector would make of it is published. */
    @Override
    public void sendRaw(byte[] body, Map<String, String> headers) {
      Reason reason = Reason.of(Reason.VALIDATION_ERROR, "no envelope");
      source.publish(Unreadable.message(UUID.randomUUID(), body, headers, Instant.now(), reason));
    }

    @Override
    public Duration takeover() {
      return Duration.ZERO;
    }

    @Override
    public int largest() {
      return 1 << 20;
    }

    @Override
    public void takeBack(String consumer) {
      source.rebalance(consumer);
    }

    @Override
    public void close() {}
  }
}
