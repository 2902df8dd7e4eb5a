package io.posthorn.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.Mode;
import io.posthorn.core.bus.Subscription;
import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * An old and a new program of one consumer run at the same time. The old one lacks a handler, and
 * gets messages that need it all the same.
 */
public abstract class RollingDeployContract extends BusTopic {
  private static final int KEYS = 6;
  private static final int EACH = 8;

  /** Every second message of a key is of the type that the old program does not know. */
  private static List<Message> mixed() {
    List<Message> all = new ArrayList<>();
    for (long n = 1; n <= EACH; n++) {
      for (int key = 0; key < KEYS; key++) {
        all.add(n % 2 == 1 ? changed("k" + key, n) : other("k" + key, n));
      }
    }
    return all;
  }

  private static Message other(String key, long n) {
    return Message.of("Other").key("Thing", key).json((key + ":" + n).getBytes(UTF_8)).build();
  }

  private Subscription withTheNewHandler(Subscription books) {
    return books.on(
        "Other",
        (message, handling) -> {
          String[] parts = new String(message.payload(), UTF_8).split(":", 2);
          effects().add(handling.connection(), BOOKS, parts[0], Long.parseLong(parts[1]));
        });
  }

  private void assertAllIsHandledWhileBothRun() {
    awaitEffects(effectsOf(KEYS, EACH));
    eventually(() -> assertThat(db().parked(BOOKS)).isEmpty());
    assertThat(db().dead(BOOKS)).isEmpty();
  }

  private void rolling(Mode mode) {
    Bus old = bus();
    books(old, writing()).mode(mode);
    old.start();
    source.publish(mixed().subList(0, KEYS * 3).toArray(Message[]::new));
    awaitAcknowledged();
    Bus newer = bus();
    withTheNewHandler(books(newer, writing())).mode(mode);
    newer.start();
    source.publishRepeating(mixed().subList(KEYS * 3, KEYS * EACH));
    assertAllIsHandledWhileBothRun();
  }

  @Test
  void a_direct_subscription_loses_and_reorders_nothing_in_a_rolling_deploy() {
    rolling(Mode.DIRECT);
  }

  @Test
  void a_durable_subscription_loses_and_reorders_nothing_in_a_rolling_deploy() {
    rolling(Mode.DURABLE);
  }

  @Test
  void a_subscription_to_the_log_loses_and_reorders_nothing_in_a_rolling_deploy()
      throws SQLException {
    Bus old = inProcessBus();
    books(old, writing());
    old.start();
    Bus newer = inProcessBus();
    withTheNewHandler(books(newer, writing()));
    newer.start();
    inTransaction(tx -> Outbox.on(store(), TYPES).build().add(tx, mixed()));
    assertAllIsHandledWhileBothRun();
  }

  @Test
  void a_rolled_back_program_leaves_messages_waiting_that_only_it_can_handle() {
    Bus newer = bus();
    withTheNewHandler(books(newer, writing()));
    newer.start();
    source.publish(other("k0", 1));
    awaitEffects(effectsOf(1, 1));
    newer.close();
    Bus old = bus();
    books(old, writing());
    old.start();
    source.publish(other("k0", 2), changed("k0", 3), changed("k1", 1));
    awaitAcknowledged();
    eventually(() -> assertThat(effects().of(BOOKS, "k1")).containsExactly(1L));
    assertThat(db().parked(BOOKS)).hasSize(2);
    assertThat(db().dead(BOOKS)).isEmpty();
    Bus again = bus();
    withTheNewHandler(books(again, writing()));
    again.start();
    eventually(() -> assertThat(effects().of(BOOKS, "k0")).containsExactly(1L, 2L, 3L));
  }
}
