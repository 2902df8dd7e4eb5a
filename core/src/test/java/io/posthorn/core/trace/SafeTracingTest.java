package io.posthorn.core.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.posthorn.core.message.Message;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SafeTracingTest {
  private static final Message MESSAGE = Message.of("Placed").build();

  /** Fails at whatever it is asked. */
  private static final class Broken implements Tracing, Tracing.Span {
    private final boolean begins;

    Broken(boolean begins) {
      this.begins = begins;
    }

    private Tracing.Span begun() {
      if (!begins) {
        throw new IllegalStateException("no span");
      }
      return this;
    }

    @Override
    public Map<String, String> current() {
      throw new IllegalStateException("no context");
    }

    @Override
    public Tracing.Span sending(String destination, Message message, int attempt) {
      return begun();
    }

    @Override
    public Tracing.Span handling(String consumer, Message message, int attempt) {
      return begun();
    }

    @Override
    public Map<String, String> context() {
      throw new IllegalStateException("no context");
    }

    @Override
    public void succeeded() {
      throw new IllegalStateException("no end");
    }

    @Override
    public void failed(String reasonCode) {
      throw new IllegalStateException("no end");
    }
  }

  @Test
  void tracing_that_fails_stops_nothing() {
    Tracing tracing = SafeTracing.of(new Broken(true));
    assertThat(tracing.current()).isEmpty();
    Tracing.Span span = tracing.sending("mail", MESSAGE, 1);
    assertThat(span.context()).isEmpty();
    assertThatCode(span::succeeded).doesNotThrowAnyException();
    assertThatCode(() -> span.failed("X")).doesNotThrowAnyException();
    Tracing none = SafeTracing.of(new Broken(false));
    assertThat(none.sending("mail", MESSAGE, 1)).isSameAs(Tracing.Span.NONE);
    assertThat(none.handling("stock", MESSAGE, 1)).isSameAs(Tracing.Span.NONE);
  }

  @Test
  void no_tracing_is_left_as_it_is() {
    assertThat(SafeTracing.of(Tracing.NONE)).isSameAs(Tracing.NONE);
  }
}
