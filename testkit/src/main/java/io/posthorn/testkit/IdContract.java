package io.posthorn.testkit;

import static io.posthorn.testkit.AppendContract.assertRefused;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.message.Message;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** An id that the caller gave is used once, even by transactions that run at the same time. */
public abstract class IdContract extends Contract {
  private final UUID id = UUID.randomUUID();

  private Message given(String content) {
    return Message.of(TestMessages.TYPE)
        .id(id)
        .json(content.getBytes(java.nio.charset.StandardCharsets.UTF_8))
        .build();
  }

  @Test
  void a_message_keeps_the_id_it_was_given() {
    TestLane shop = serve(SHOP);
    commit(given("1"));
    assertThat(only(shop.batch()).message().id()).isEqualTo(id);
  }

  @Test
  void a_second_message_of_a_given_id_is_refused() {
    TestLane shop = serve(SHOP);
    commit(given("1"));
    try (OpenTransaction tx = begin()) {
      assertRefused(ErrorCode.DUPLICATE_ID, () -> tx.add(given("2")));
    }
    assertThat(shop.drain()).containsExactly("1");
  }

  @Test
  void the_error_for_a_reused_id_names_the_id() {
    commit(given("1"));
    try (OpenTransaction tx = begin()) {
      assertThatThrownBy(() -> tx.add(given("2"))).hasMessageContaining(id.toString());
    }
  }

  @Test
  void one_known_id_refuses_the_whole_call() {
    TestLane shop = serve(SHOP);
    commit(given("1"));
    UUID fresh = UUID.randomUUID();
    try (OpenTransaction tx = begin()) {
      assertRefused(
          ErrorCode.DUPLICATE_ID,
          () -> tx.add(message("2"), Message.of(TestMessages.TYPE).id(fresh).build(), given("3")));
    }
    commit(Message.of(TestMessages.TYPE).id(fresh).build());
    assertThat(shop.drain()).containsExactly("1", "");
  }

  @Test
  void the_same_id_twice_in_one_call_is_refused() {
    TestLane shop = serve(SHOP);
    try (OpenTransaction tx = begin()) {
      assertRefused(ErrorCode.DUPLICATE_ID, () -> tx.add(given("1"), given("2")));
    }
    assertThat(shop.drain()).isEmpty();
  }

  @Test
  void an_id_whose_transaction_was_rolled_back_is_free() {
    TestLane shop = serve(SHOP);
    begin().add(given("1")).rollback();
    commit(given("2"));
    assertThat(shop.drain()).containsExactly("2");
  }

  @Test
  void a_second_message_waits_for_the_open_transaction_of_the_first_and_is_refused_if_it_commits()
      throws Throwable {
    try (OpenTransaction first = begin().add(given("1"));
        OpenTransaction second = begin()) {
      Background adding =
          Background.run(() -> assertRefused(ErrorCode.DUPLICATE_ID, () -> second.add(given("2"))));
      adding.awaitWaiting(db());
      first.commit();
      adding.join();
    }
  }

  @Test
  void a_second_message_waits_for_the_open_transaction_of_the_first_and_stands_if_it_rolls_back()
      throws Throwable {
    TestLane shop = serve(SHOP);
    try (OpenTransaction first = begin().add(given("1"));
        OpenTransaction second = begin()) {
      Background adding = Background.run(() -> second.add(given("2")).commit());
      adding.awaitWaiting(db());
      first.rollback();
      adding.join();
    }
    assertThat(shop.drain()).containsExactly("2");
  }

  private boolean note(OpenTransaction tx) {
    return store().note(tx.connection(), id);
  }

  @Test
  void a_transaction_id_is_noted_once() {
    try (OpenTransaction first = begin()) {
      assertThat(note(first)).isTrue();
      first.commit();
    }
    try (OpenTransaction second = begin()) {
      assertThat(note(second)).isFalse();
    }
  }

  @Test
  void a_note_that_was_rolled_back_does_not_count() {
    try (OpenTransaction first = begin()) {
      note(first);
    }
    try (OpenTransaction second = begin()) {
      assertThat(note(second)).isTrue();
    }
  }

  @Test
  void a_note_waits_for_the_open_transaction_that_noted_it_first() throws Throwable {
    try (OpenTransaction first = begin();
        OpenTransaction second = begin()) {
      second.set("ISOLATION LEVEL READ COMMITTED");
      note(first);
      Background noting = Background.run(() -> assertThat(note(second)).isFalse());
      noting.awaitWaiting(db());
      first.commit();
      noting.join();
    }
  }

  @Test
  void a_note_that_had_to_wait_above_read_committed_asks_to_repeat_the_transaction()
      throws Throwable {
    try (OpenTransaction first = begin();
        OpenTransaction second = begin()) {
      second.set("ISOLATION LEVEL REPEATABLE READ");
      note(first);
      Background noting =
          Background.run(() -> assertRefused(ErrorCode.TRANSACTION_CONFLICT, () -> note(second)));
      noting.awaitWaiting(db());
      first.commit();
      noting.join();
    }
  }

  @Test
  void a_transaction_and_its_message_may_have_the_same_id() {
    TestLane shop = serve(SHOP);
    try (OpenTransaction tx = begin()) {
      assertThat(note(tx)).isTrue();
      tx.add(given("1")).commit();
    }
    assertThat(shop.drain()).containsExactly("1");
  }
}
