package io.posthorn.testkit;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Waiting;
import java.time.Duration;

/** Short ways to make moves. */
final class Moves {
  static final Reason REASON = new Reason("HTTP_503", "the shop is closed", "at Shop.open");

  private Moves() {}

  static Move sent(Delivery delivery) {
    return new Move.Sent(delivery);
  }

  static Move retry(Delivery delivery, int attempts, Duration pause) {
    return new Move.Park(delivery, Waiting.RETRY, attempts, pause, REASON);
  }

  static Move turn(Delivery delivery) {
    return park(delivery, Waiting.TURN, 0, Duration.ZERO);
  }

  static Move park(Delivery delivery, Waiting waiting, int attempts, Duration pause) {
    return new Move.Park(delivery, waiting, attempts, pause, null);
  }

  static Move die(Delivery delivery, int attempts, AfterDead afterDead) {
    return new Move.Die(delivery, attempts, Reason.RETRY_EXHAUSTED, REASON, afterDead);
  }
}
