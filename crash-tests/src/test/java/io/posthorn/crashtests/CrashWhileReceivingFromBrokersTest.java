package io.posthorn.crashtests;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.bus.Mode;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import io.posthorn.crashtests.CrashPlan.Action;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Services that receive from a real broker, which gets every message up to five times. They are
 * frozen and killed, one after the other, and the next takes over. In the end every message took
 * effect once, in the order of its key.
 */
@Tag("slow")
class CrashWhileReceivingFromBrokersTest {
  private static final int KEYS = 5;

  private record End(CrashPoint point, Action action) {}

  /** Where one is frozen it must not have a transaction open: the next one would wait for it. */
  private static final List<End> ENDS =
      List.of(
          new End(CrashPoint.RECEIVE_IN_HANDLER, Action.KILL),
          new End(CrashPoint.RECEIVE_AFTER_COMMIT, Action.FREEZE),
          new End(CrashPoint.RECEIVE_BEFORE_COMMIT, Action.KILL),
          new End(CrashPoint.RECEIVE_ACKNOWLEDGED, Action.KILL));

  private final EmbeddedPostgres postgres = EmbeddedPostgres.shared();
  private final String database = postgres.freshDatabase();
  private final HikariDataSource dataSource = Pool.of(postgres.dataSource(database));
  private final TableBroker ledger = new TableBroker(dataSource);
  private final Random random = new Random(5);
  private final List<List<Message>> rounds = new ArrayList<>();

  @AfterEach
  void close() {
    dataSource.close();
  }

  @ParameterizedTest
  @EnumSource(RealBroker.Kind.class)
  void every_message_takes_effect_once_though_it_comes_often_and_receivers_freeze_and_die(
      RealBroker.Kind kind) throws Exception {
    new Migrations(Tables.DEFAULT).migrate(dataSource);
    ledger.create();
    try (RealBroker broker = RealBroker.start(kind);
        Connector sender = broker.sender()) {
      sender.check();
      ReceiverProcess receiver = start(broker).awaitReady();
      for (End end : ENDS) {
        String order = receiver.arm(end.point, end.action);
        for (int i = 0; i < 30; i++) {
          publish(sender);
        }
        receiver.awaitReached(order);
        try (ReceiverProcess ended = receiver) {
          receiver = start(broker).awaitReady();
          awaitAllEffects(receiver);
          if (end.action == Action.FREEZE) {
            // It believes that its messages are its own.
            ended.thaw();
            publish(sender);
            awaitAllEffects(receiver);
          }
        }
      }
      publish(sender);
      awaitAllEffects(receiver);
      receiver.close();
    }
    BrokenPromise.unless(() -> assertThat(ledger.wrongEffects()).isZero());
  }

  private ReceiverProcess start(RealBroker broker) {
    return ReceiverProcess.start(
        postgres.jdbcUrl(database) + World.TIMEOUTS, Mode.DIRECT, broker.text());
  }

  /** A new message of each key, and some of the older ones once more, as a sender does. */
  private void publish(Connector sender) throws SQLException {
    long n = rounds.size() + 1L;
    List<Message> round = new ArrayList<>();
    for (int key = 0; key < KEYS; key++) {
      String name = "k" + key;
      ledger.publish(name, n, false);
      round.add(
          Message.of("Changed")
              .key("Book", name)
              .payload((name + ":" + n).getBytes(UTF_8), "text/plain")
              .build()
              .withSequence(n));
    }
    rounds.add(round);
    send(sender, round);
    for (int repeat = random.nextInt(5); repeat > 0; repeat--) {
      send(sender, rounds.get(rounds.size() - 1 - random.nextInt(Math.min(10, rounds.size()))));
    }
  }

  private static void send(Connector sender, List<Message> messages) {
    Map<Integer, Outcome> answers = new ConcurrentHashMap<>();
    sender.send(messages, answers::put);
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(answers).hasSize(messages.size()));
    assertThat(answers.values()).containsOnly(Outcome.SENT);
  }

  private void awaitAllEffects(ReceiverProcess receiver) {
    BrokenPromise.unless(
        () ->
            await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(
                    () ->
                        assertThat(ledger.effects())
                            .as(receiver::log)
                            .isEqualTo(ledger.messages())));
  }
}
