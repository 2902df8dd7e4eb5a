package io.posthorn.testkit;

import static io.posthorn.testkit.AppendContract.assertRefused;
import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.InProcess;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageState;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.observe.Event;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.SendLimit;
import io.posthorn.core.store.MessageStory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a relay delivers, to whom, and in which order. */
public abstract class DeliveryContract extends RelayTopic {
  private final FakeConnector shop = FakeConnector.acking();

  @Test
  void committed_messages_are_delivered_and_rolled_back_ones_never_existed() {
    start(to(SHOP, shop));
    begin().add(message("ghost")).rollback();
    commit(message("real"));
    eventually(shop, got -> assertThat(got).containsExactly("real"));
  }

  @Test
  void adding_without_a_transaction_is_refused() throws SQLException {
    Outbox outbox = Outbox.on(store(), MessageTypes.named(TestMessages.TYPE)).build();
    try (Connection connection = db().dataSource().getConnection()) {
      connection.setAutoCommit(true);
      assertRefused(ErrorCode.NO_TRANSACTION, () -> outbox.add(connection, message("a")));
      connection.close();
      assertRefused(ErrorCode.NO_TRANSACTION, () -> outbox.add(connection, message("a")));
    }
    assertThat(db().logged()).isEmpty();
  }

  @Test
  void a_relay_that_is_woken_after_a_commit_delivers_at_once() throws SQLException {
    Outbox outbox = newOutbox();
    // The relay is not notified of what this outbox adds.
    Outbox other = newOutbox();
    deliversAtOnce(outbox, tx -> other.add(tx, message("m")), outbox::wake);
  }

  @Test
  void a_relay_that_is_notified_of_an_add_sees_the_commit_at_once() throws SQLException {
    Outbox outbox = newOutbox();
    deliversAtOnce(outbox, tx -> outbox.add(tx, message("m")), () -> {});
  }

  private Outbox newOutbox() {
    return Outbox.on(store(), MessageTypes.named(TestMessages.TYPE)).build();
  }

  /** Without a notification the relay looks once a second, which would take about 15 seconds. */
  private void deliversAtOnce(Outbox wakes, Consumer<Connection> add, Runnable after)
      throws SQLException {
    RelayConfig drowsy =
        RelayConfig.builder().poll(Duration.ofMinutes(1), Duration.ofMinutes(1)).build();
    start(relay -> relay.config(drowsy).wokenBy(wakes), to(SHOP, shop));
    long began = System.nanoTime();
    for (int i = 1; i <= 20; i++) {
      try (Connection tx = db().dataSource().getConnection()) {
        tx.setAutoCommit(false);
        add.accept(tx);
        tx.commit();
      }
      after.run();
      int arrived = i;
      await().pollInterval(Duration.ofMillis(5)).until(() -> shop.received().size() == arrived);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(8));
  }

  @Test
  void each_key_arrives_in_order_and_completely() {
    start(to(SHOP, shop));
    Message[] all = many(5_000, 50);
    for (int i = 0; i < all.length; i += 100) {
      commit(java.util.Arrays.copyOfRange(all, i, i + 100));
    }
    eventually(shop, got -> assertThat(got).hasSize(5_000));
    Map<String, Integer> next = new HashMap<>();
    for (String content : contents(shop)) {
      String[] parts = content.split(":");
      assertThat(Integer.parseInt(parts[1])).isEqualTo(next.getOrDefault(parts[0], 0));
      next.merge(parts[0], 1, Integer::sum);
    }
  }

  @Test
  void every_destination_gets_its_own_copy_and_a_slow_one_delays_only_itself() {
    FakeConnector stuck = FakeConnector.acking().reply(m -> FakeConnector.Reply.late(Outcome.SENT));
    start(to(SHOP, shop), to("slow", stuck));
    commit(message("one"));
    commit(message("two"));
    eventually(shop, got -> assertThat(got).contains("one", "two"));
    assertThat(contents(stuck)).contains("one");
    stuck.reply(m -> FakeConnector.Reply.now(Outcome.SENT));
    stuck.answerLate();
    eventually(stuck, got -> assertThat(got).contains("one", "two"));
  }

  @Test
  void a_destination_gets_only_the_types_routed_to_it() {
    FakeConnector mail = FakeConnector.acking();
    start(to(SHOP, shop), only("mail", mail, "Registered"));
    commit(TestMessages.typed("Other", "x"), TestMessages.typed("Registered", "y"));
    eventually(mail, got -> assertThat(got).containsExactly("y"));
    eventually(shop, got -> assertThat(got).containsExactlyInAnyOrder("x", "y"));
  }

  @Test
  void messages_added_before_the_first_relay_started_are_delivered() {
    commit(message("early"));
    start(to(SHOP, shop));
    eventually(shop, got -> assertThat(got).containsExactly("early"));
  }

  @Test
  void a_large_backlog_is_delivered_page_by_page() {
    start(to(SHOP, shop)).close();
    commit(many(10_000, 100));
    start(to(SHOP, shop));
    eventually(shop, got -> assertThat(got).hasSize(10_000));
    assertThat(contents(shop)).doesNotHaveDuplicates();
  }

  @Test
  void a_scheduled_message_arrives_after_its_time_and_delays_no_other() {
    start(to(SHOP, shop));
    Message later =
        Message.of(TestMessages.TYPE)
            .key(TestMessages.AGGREGATE, "a")
            .json("later".getBytes(java.nio.charset.StandardCharsets.UTF_8))
            .notBefore(Instant.now().plusSeconds(2))
            .build();
    commit(later, keyed("a", "now"));
    eventually(shop, got -> assertThat(got).containsExactly("now"));
    eventually(shop, got -> assertThat(got).containsExactly("now", "later"));
    assertThat(Instant.now()).isAfter(later.notBefore());
  }

  @Test
  void handlers_in_the_same_program_are_a_destination() {
    Queue<String> handled = new ConcurrentLinkedQueue<>();
    try (InProcess handlers =
        InProcess.handlers()
            .on(TestMessages.TYPE, m -> handled.add(TestMessages.content(m)))
            .build()) {
      start(only("mail", handlers, TestMessages.TYPE));
      commit(message("welcome"));
      eventually(() -> assertThat(handled).containsExactly("welcome"));
    }
  }

  @Test
  void no_more_messages_are_in_flight_than_the_destination_allows() {
    FakeConnector late = FakeConnector.acking().reply(m -> FakeConnector.Reply.late(Outcome.SENT));
    int most = Math.max(3, db().lanes());
    start(to(SHOP, late).limit(SendLimit.DEFAULT.maxInFlight(most)));
    commit(many(20, 20));
    eventually(late, got -> assertThat(got).hasSize(most));
    late.answerLate();
    eventually(late, got -> assertThat(got).hasSizeGreaterThanOrEqualTo(most + 3));
  }

  @Test
  void a_payload_is_encrypted_in_the_database_and_decrypted_for_the_receiver() throws Exception {
    Outbox outbox =
        Outbox.on(store(), MessageTypes.named(TestMessages.TYPE)).cipher(new Rot1()).build();
    start(
        relay -> relay.cipher(new Rot1()),
        to(SHOP, shop).afterDead(io.posthorn.core.store.AfterDead.CONTINUE));
    start(
        relay -> relay.cipher(new Rot1()),
        to("broken", FakeConnector.acking().outcome(m -> Outcome.rejected(Reason.of("X", "no")))));
    try (Connection tx = db().dataSource().getConnection()) {
      tx.setAutoCommit(false);
      outbox.add(tx, message("secret"));
      tx.commit();
    }
    eventually(shop, got -> assertThat(got).containsExactly("secret"));
    eventually(() -> assertThat(db().dead("broken")).hasSize(1));
    assertThat(db().dead("broken").get(0).content()).isEqualTo("tfdsfu");
    assertThat(db().dead("broken").get(0).cipherKey()).isEqualTo("k1");
  }

  @Test
  void the_state_of_a_message_can_be_read_at_any_time() {
    Relay relay = start(to(SHOP, shop));
    Message one = message("one");
    commit(one);
    eventually(() -> assertThat(state(one)).isEqualTo(MessageState.SENT));
    MessageStory.DeliveryStory sent = find(one.id()).orElseThrow().deliveries().get(0);
    assertThat(sent.sentAt()).isNotNull();
    relay.close();
    Message two = message("two");
    commit(two);
    assertThat(state(two)).isEqualTo(MessageState.PENDING);
    assertThat(find(message("never added").id())).isEmpty();
  }

  @Test
  void an_observer_is_notified_of_every_message_that_was_sent() {
    start(to(SHOP, shop));
    commit(message("one"), message("two"));
    eventually(
        () -> {
          List<String> sent = new ArrayList<>();
          for (Event event : events) {
            if (event instanceof Event.Sent batch) {
              batch.deliveries().forEach(d -> sent.add(TestMessages.content(d)));
            }
          }
          assertThat(sent).containsExactlyInAnyOrder("one", "two");
        });
  }

  private MessageState state(Message message) {
    return find(message.id()).orElseThrow().deliveries().get(0).state();
  }

  /** Moves every byte by one: enough to see whether it was used. */
  private static final class Rot1 implements PayloadCipher {
    @Override
    public String keyId(Message message) {
      return "k1";
    }

    @Override
    public byte[] encrypt(Message message, String keyId) {
      return moved(message.payload(), 1);
    }

    @Override
    public byte[] decrypt(Message message, String keyId) {
      return moved(message.payload(), -1);
    }

    private static byte[] moved(byte[] bytes, int by) {
      byte[] moved = bytes.clone();
      for (int i = 0; i < moved.length; i++) {
        moved[i] += (byte) by;
      }
      return moved;
    }
  }
}
