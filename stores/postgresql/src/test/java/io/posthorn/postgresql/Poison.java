package io.posthorn.postgresql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.observe.Event;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.store.AfterDead;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.TestMessages;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * A database with a trigger that refuses one message, and a relay that works on it. The refused
 * message is the second of key k1, among others of its key and of other keys.
 */
public final class Poison implements AutoCloseable {
  public static final UUID GUILTY = UUID.fromString("00000000-0000-4000-8000-000000000666");
  public static final String GUILTY_CONTENT = "k1:1";
  public static final int KEYS = 4;
  public static final int OF_EACH = 5;

  public final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  public final FakeConnector shop = FakeConnector.acking();
  public final Queue<Event> events = new ConcurrentLinkedQueue<>();
  private final Outbox outbox =
      Outbox.on(PostgresqlStore.on(database.dataSource()), MessageTypes.named("Tested")).build();
  private final List<Relay> relays = new ArrayList<>();
  private UnaryOperator<DataSource> connections = UnaryOperator.identity();
  private AfterDead afterDead = AfterDead.CONTINUE;

  /** Refuses rows of a table for which the condition on NEW and OLD holds. */
  public Poison refusing(String operation, String table, String state, String condition) {
    String row = operation.equals("DELETE") ? "OLD" : "NEW";
    return trigger(
        operation,
        table,
        """
        IF %s THEN
          RAISE EXCEPTION 'refused by a test' USING ERRCODE = '%s';
        END IF;
        RETURN %s;
        """
            .formatted(condition, state, row));
  }

  public Poison trigger(String operation, String table, String body) {
    String name = "poison_" + operation.toLowerCase(Locale.ROOT) + "_" + table;
    database.execute(
        """
        CREATE FUNCTION %1$s() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN %4$s END $f$;
        CREATE TRIGGER %1$s BEFORE %2$s ON %3$s FOR EACH ROW EXECUTE FUNCTION %1$s();
        """
            .formatted(name, operation, table, body));
    return this;
  }

  public static String isGuilty(String row) {
    return "%s.message_id = '%s'".formatted(row, GUILTY);
  }

  /** From now on relays use the database through this. */
  public Poison through(UnaryOperator<DataSource> connections) {
    this.connections = connections;
    return this;
  }

  /** What becomes of a key after a dead message. */
  public Poison afterDead(AfterDead after) {
    this.afterDead = after;
    return this;
  }

  public Poison shop(Function<Message, Outcome> script) {
    shop.outcome(script);
    return this;
  }

  public static boolean isGuilty(Message message) {
    return message.id().equals(GUILTY);
  }

  /**
   * Starts the relay first, because its destination gets only messages written after its
   * registration.
   */
  public Poison start() {
    return start(RelayConfig.builder().build().batchSize());
  }

  public Poison start(int batchSize) {
    RelayConfig config =
        RelayConfig.builder()
            .batchSize(batchSize)
            .poll(Duration.ofMillis(2), Duration.ofMillis(50))
            .build();
    relays.add(
        Relay.on(PostgresqlStore.on(connections.apply(database.dataSource())), "tests", "test")
            .config(config)
            .observer(events::add)
            .destination(
                Destination.named("shop", shop)
                    .retry(
                        RetryPolicy.DEFAULT
                            .backoff(Duration.ofMillis(20), Duration.ofMillis(50))
                            .attempts(5))
                    .allTypes()
                    .afterDead(afterDead)
                    .build())
            .build()
            .start());
    return this;
  }

  /** Adds all messages in one transaction. */
  public Poison add() {
    List<Message> messages = new ArrayList<>();
    for (int n = 0; n < OF_EACH; n++) {
      for (int k = 0; k < KEYS; k++) {
        messages.add(message("k" + k, n));
      }
    }
    add(messages.toArray(Message[]::new));
    return this;
  }

  public static Message message(String key, int n) {
    String content = key + ":" + n;
    Message.Builder message =
        Message.of(TestMessages.TYPE)
            .key(TestMessages.AGGREGATE, key)
            .json(content.getBytes(UTF_8));
    return content.equals(GUILTY_CONTENT) ? message.id(GUILTY).build() : message.build();
  }

  public void add(Message... messages) {
    try (Connection tx = database.dataSource().getConnection()) {
      tx.setAutoCommit(false);
      for (Message message : messages) {
        outbox.add(tx, message);
      }
      tx.commit();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns what was sent of a key, in order. */
  public List<String> sent(String key) {
    return shop.acknowledged().stream()
        .map(TestMessages::content)
        .filter(content -> content.startsWith(key + ":"))
        .toList();
  }

  public static List<String> all(String key) {
    return IntStream.range(0, OF_EACH).mapToObj(n -> key + ":" + n).toList();
  }

  public static List<String> allButGuilty(String key) {
    return all(key).stream().filter(content -> !content.equals(GUILTY_CONTENT)).toList();
  }

  /** Awaits all other messages, each key in order. */
  public void awaitOthers() {
    await()
        .untilAsserted(
            () -> {
              for (int k = 0; k < KEYS; k++) {
                assertThat(sent("k" + k))
                    .filteredOn(content -> !content.equals(GUILTY_CONTENT))
                    .containsExactlyElementsOf(allButGuilty("k" + k));
              }
            });
  }

  /** Asserts that nothing is left to do: all sent messages are settled, and none wait. */
  public void awaitSettled() {
    await()
        .untilAsserted(
            () -> {
              assertThat(database.parked("shop")).isEmpty();
              assertThat(
                      database.query(
                          "SELECT s2 IS NULL FROM posthorn_progress WHERE destination = 'shop' ORDER BY n DESC LIMIT 1",
                          row -> row.getBoolean(1)))
                  .containsExactly(true);
            });
  }

  public void requeue(UUID letter) {
    PostgresqlStore.on(database.dataSource())
        .requeue(List.of(letter), Requeue.SAME, new Actor("the test", "to see what comes of it"));
  }

  public List<Event.StoreRefused> cries() {
    return events.stream()
        .filter(Event.StoreRefused.class::isInstance)
        .map(Event.StoreRefused.class::cast)
        .toList();
  }

  @Override
  public void close() {
    relays.forEach(Relay::close);
    database.discard();
  }
}
