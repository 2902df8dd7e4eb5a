package io.posthorn.rabbitmq;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.envelope.EnvelopeFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An unexpected exception or Error costs a message an attempt, but never ends the connector. */
class UnexpectedTest {
  private final RabbitMqFixture rabbit = new RabbitMqFixture();
  private final AtomicBoolean broken = new AtomicBoolean(true);

  @AfterEach
  void close() {
    rabbit.close();
  }

  @Test
  void an_error_in_an_envelope_fails_its_message_alone() {
    EnvelopeFormat usual = EnvelopeFormat.cloudEvents("/tests");
    RabbitMqConfig config =
        rabbit
            .config(
                (message, transport) -> {
                  if (new String(message.payload(), UTF_8).contains("large")) {
                    throw new OutOfMemoryError("as if");
                  }
                  return usual.envelop(message, transport);
                })
            .build();
    try (RabbitMqConnector connector = new RabbitMqConnector(config)) {
      List<Outcome> outcomes =
          Sent.outcomes(connector, List.of(keyed("a", "1"), keyed("b", "large"), keyed("c", "3")));
      assertThat(outcomes).element(0).isEqualTo(Outcome.SENT);
      assertThat(outcomes).element(2).isEqualTo(Outcome.SENT);
      assertThat(outcomes.get(1))
          .isInstanceOfSatisfying(
              Outcome.Failed.class,
              failed -> assertThat(failed.reason().text()).isEqualTo("OutOfMemoryError: as if"));
      assertThat(Sent.once(connector, message("after"))).isEqualTo("Sent");
    }
  }

  @Test
  void an_exception_in_an_envelope_fails_its_message_alone() {
    EnvelopeFormat usual = EnvelopeFormat.cloudEvents("/tests");
    RabbitMqConfig config =
        rabbit
            .config(
                (message, transport) -> {
                  if (new String(message.payload(), UTF_8).contains("odd")) {
                    throw new IllegalStateException("as if");
                  }
                  return usual.envelop(message, transport);
                })
            .build();
    try (RabbitMqConnector connector = new RabbitMqConnector(config)) {
      assertThat(Sent.all(connector, keyed("a", "1"), keyed("b", "odd"), keyed("c", "3")))
          .containsExactly("Sent", "Failed IllegalStateException", "Sent");
    }
  }

  @Test
  void an_error_in_the_credentials_is_answered_and_the_next_message_connects() {
    RabbitMqConfig config =
        rabbit
            .config()
            .credentials(
                () -> {
                  if (broken.getAndSet(false)) {
                    throw new NoClassDefFoundError("as/if");
                  }
                  return rabbit.credentials;
                })
            .build();
    try (RabbitMqConnector connector = new RabbitMqConnector(config)) {
      List<Outcome> outcomes = Sent.outcomes(connector, List.of(message("first")));
      assertThat(outcomes.get(0))
          .isInstanceOfSatisfying(
              Outcome.Unavailable.class,
              unavailable ->
                  assertThat(unavailable.reason().text()).contains("NoClassDefFoundError: as/if"));
      assertThat(Sent.once(connector, message("second"))).isEqualTo("Sent");
    }
  }

  @Test
  void credentials_that_interrupt_their_thread_do_not_end_it() {
    RabbitMqConfig config =
        rabbit
            .config()
            .credentials(
                () -> {
                  if (broken.getAndSet(false)) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("interrupted");
                  }
                  return rabbit.credentials;
                })
            .build();
    try (RabbitMqConnector connector = new RabbitMqConnector(config)) {
      assertThat(Sent.once(connector, message("first"))).isEqualTo("Unavailable UNREACHABLE");
      assertThat(Sent.once(connector, message("second"))).isEqualTo("Sent");
    }
  }

  @Test
  void a_callback_that_throws_at_a_timeout_does_not_stop_the_clock() throws InterruptedException {
    try (RabbitMqConnector connector = new RabbitMqConnector(rabbit.config().build())) {
      assertThat(Sent.once(connector, message("before"))).isEqualTo("Sent");
      rabbit.proxy.hold();
      CountDownLatch answered = new CountDownLatch(1);
      connector.send(
          List.of(message("late")),
          (index, outcome) -> {
            answered.countDown();
            throw new OutOfMemoryError("as if");
          });
      assertThat(answered.await(20, TimeUnit.SECONDS)).isTrue();
      rabbit.proxy.pass();
      assertThat(Sent.once(connector, message("between"))).isEqualTo("Sent");
      rabbit.proxy.hold();
      assertThat(Sent.once(connector, message("late again"))).isEqualTo("Unavailable TIMEOUT");
    } finally {
      rabbit.proxy.pass();
    }
  }
}
