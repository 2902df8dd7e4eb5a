package io.posthorn.testkit;

import static io.posthorn.core.message.MessageState.DEAD;
import static io.posthorn.core.message.MessageState.DISCARDED;
import static io.posthorn.core.message.MessageState.FAILED;
import static io.posthorn.core.message.MessageState.IN_FLIGHT;
import static io.posthorn.core.message.MessageState.PENDING;
import static io.posthorn.core.message.MessageState.SENT;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.message.MessageState;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class StateMovesTest {
  private static final UUID MESSAGE = UUID.randomUUID();

  private final StateMoves moves = new StateMoves();

  private void seen(MessageState... states) {
    for (MessageState state : states) {
      moves.seen(MESSAGE, "shop", state);
    }
  }

  private void refuses(MessageState state) {
    assertThatThrownBy(() -> seen(state))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("'shop' and is " + state + " now");
  }

  @Test
  void a_delivery_may_be_seen_in_part() {
    seen(PENDING, PENDING, IN_FLIGHT, FAILED, FAILED, SENT, SENT);
    moves.seen(MESSAGE, "mail", PENDING);
    moves.seen(MESSAGE, "mail", DEAD);
    moves.seen(UUID.randomUUID(), "shop", PENDING);
  }

  @Test
  void what_was_sent_is_never_seen_in_another_state() {
    seen(PENDING, SENT);
    refuses(PENDING);
  }

  @Test
  void a_dead_letter_moves_only_by_a_person_s_hand_and_only_once() {
    seen(DEAD);
    moves.byHand();
    seen(PENDING, DEAD);
    refuses(FAILED);
  }

  @Test
  void only_a_person_discards_and_nothing_follows() {
    seen(FAILED);
    moves.byHand();
    seen(DISCARDED);
    moves.byHand();
    refuses(PENDING);
  }

  @Test
  void nothing_is_discarded_by_itself() {
    seen(PENDING);
    refuses(DISCARDED);
  }
}
