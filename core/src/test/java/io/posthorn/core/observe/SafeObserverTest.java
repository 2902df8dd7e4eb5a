package io.posthorn.core.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SafeObserverTest {
  private static final Event EVENT = new Event.BreakerClosed("mail");

  @Test
  void an_observer_that_throws_stops_nothing() {
    Observer throwing =
        event -> {
          throw new IllegalStateException("no");
        };
    Observer failing =
        event -> {
          throw new AssertionError("no");
        };
    assertThatCode(() -> SafeObserver.logging(throwing).on(EVENT)).doesNotThrowAnyException();
    assertThatCode(() -> SafeObserver.logging(failing).on(EVENT)).doesNotThrowAnyException();
  }

  @Test
  void the_observer_receives_each_event() {
    List<Event> seen = new ArrayList<>();
    SafeObserver.logging(seen::add).on(EVENT);
    assertThat(seen).containsExactly(EVENT);
  }
}
