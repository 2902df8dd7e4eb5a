package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.OutboxMessage;
import io.posthorn.core.trace.Tracing;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A bean of type Tracing is enough to enable traces. */
class TracingTest {
  private static final String FIRST = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  private static final String SECOND = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

  private static String current = FIRST;

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    Tracing tracing() {
      return new Tracing() {
        @Override
        public Map<String, String> current() {
          return Map.of(Headers.TRACEPARENT, current);
        }

        @Override
        public Span sending(String destination, Message message, int attempt) {
          return Span.NONE;
        }

        @Override
        public Span handling(String consumer, Message message, int attempt) {
          return Span.NONE;
        }
      };
    }
  }

  @OutboxMessage
  record PricesRead(String shop) {}

  @Test
  void the_trace_context_is_that_of_the_add_and_not_of_the_commit() {
    try (App app = App.start(Shop.class)) {
      app.inTransaction(
          tx -> {
            current = FIRST;
            app.outbox().add(new PricesRead("prices"));
            current = SECOND;
          });

      assertThat(
              app.jdbc()
                  .sql("SELECT headers->>'traceparent' FROM posthorn_log")
                  .query(String.class)
                  .single())
          .isEqualTo(FIRST);
    }
  }
}
