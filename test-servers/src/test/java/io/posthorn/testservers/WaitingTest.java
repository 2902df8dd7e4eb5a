package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WaitingTest {
  @Test
  void waiting_ends_when_the_condition_holds() {
    AtomicInteger asked = new AtomicInteger();
    Waiting.until("three", Duration.ofSeconds(10), () -> asked.incrementAndGet() == 3);
    assertThat(asked).hasValue(3);
  }

  @Test
  void waiting_in_vain_says_for_what() {
    assertThatThrownBy(() -> Waiting.until("a miracle", Duration.ofMillis(20), () -> false))
        .isInstanceOf(TestServerException.class)
        .hasMessage("waited 20 ms in vain for a miracle");
  }

  @Test
  void no_port_is_given_twice_and_none_is_one_a_client_socket_could_take() {
    Set<Integer> ports = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      assertThat(ports.add(Ports.free())).isTrue();
    }
    assertThat(ports).allMatch(port -> port < 32_768);
  }
}
