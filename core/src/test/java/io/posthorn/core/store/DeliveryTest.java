package io.posthorn.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.source.Received;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DeliveryTest {
  private static final Message MESSAGE =
      Message.of("T").header("a", "b").header("posthorn-sender", "forged").build().withSequence(7);

  @Test
  void a_received_message_is_handed_over_with_its_sender_and_the_senders_sequence() {
    Delivery parked =
        new Delivery(
            MESSAGE, 99, Instant.EPOCH, 1, Duration.ZERO, true, null, 0, false, Duration.ZERO, "s");
    Received received = Received.handedOver(parked.handedOver(), "log");
    assertThat(received.sender()).isEqualTo("s");
    assertThat(received.message().sequence()).isEqualTo(7);
    assertThat(received.message().headers()).containsOnlyKeys("a");
  }

  @Test
  void a_message_of_the_log_is_handed_over_with_its_place_in_it() {
    Delivery delivery =
        new Delivery(Message.of("T").build(), 99, Instant.EPOCH, 0, Duration.ZERO, false, null);
    Received received = Received.handedOver(delivery.handedOver(), "log");
    assertThat(received.sender()).isEqualTo("log");
    assertThat(received.message().sequence()).isEqualTo(99);
  }
}
