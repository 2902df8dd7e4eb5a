package io.posthorn.postgresql.log;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.lane.Snapshot;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * A random history of transactions, one step after the other: they begin, write, roll back partly
 * and end, while a reader looks at a lane as a claim does. Transactions also continue between the
 * lock and the look of a claim, so numbers above the claim's low one become visible in another
 * order than they were drawn.
 */
public final class RandomHistory {
  public static final String DESTINATION = "staged";

  private static final int STEPS = 100;
  private static final int KEYS = 3;

  public record Look(Snapshot snapshot, long low, long high) {}

  /** Runs after each look. */
  public interface AfterLook {
    void looked(List<Look> looks) throws SQLException;
  }

  private final PostgresqlDatabase postgresql;
  private final PostgresqlStore store;
  private final Database database;
  private final Random random;
  private final Lane lane;
  private final List<Connection> open = new ArrayList<>();
  private final List<Look> looks = new ArrayList<>();

  public RandomHistory(PostgresqlDatabase postgresql, Database database, Random random) {
    this.postgresql = postgresql;
    this.store = PostgresqlStore.on(postgresql.dataSource());
    this.database = database;
    this.random = random;
    store.register(
        DESTINATION,
        List.of(new ServedDestination(DESTINATION, Set.of(ServedDestination.ALL_TYPES))));
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), DESTINATION, DESTINATION);
    store.join(relay, List.of(), Duration.ofHours(1));
    this.lane = store.take(relay, DESTINATION, 0).orElseThrow();
  }

  public Lane lane() {
    return lane;
  }

  static String key(int number) {
    return "k" + number;
  }

  public List<String> keys() {
    return IntStream.range(0, KEYS).mapToObj(RandomHistory::key).toList();
  }

  /** Plays the history until all transactions have ended. Returns every look, in order. */
  public List<Look> play(AfterLook afterLook) throws SQLException {
    for (int step = 0; step < STEPS; step++) {
      if (random.nextInt(10) < 8) {
        write();
      } else {
        looks.add(look());
        afterLook.looked(looks);
      }
    }
    for (Connection connection : open) {
      end(connection, true);
    }
    open.clear();
    looks.add(look());
    return looks;
  }

  private void write() throws SQLException {
    int what = random.nextInt(8);
    if (open.isEmpty() || (what < 2 && open.size() < 12)) {
      begin();
    } else if (what < 5) {
      write(open.get(random.nextInt(open.size())));
    } else {
      end(open.remove(random.nextInt(open.size())), random.nextInt(4) != 0);
    }
  }

  private void begin() throws SQLException {
    Connection connection = postgresql.dataSource().getConnection();
    connection.setAutoCommit(false);
    open.add(connection);
    write(connection);
  }

  private static void end(Connection connection, boolean commit) throws SQLException {
    if (commit) {
      connection.commit();
    } else {
      connection.rollback();
    }
    connection.close();
  }

  /**
   * A new transaction draws a number first, and an older one that draws the next number ends first.
   * So the higher number is visible, while a snapshot does not even list the transaction of the
   * lower one.
   */
  private void overtake() throws SQLException {
    if (open.isEmpty()) {
      return;
    }
    Connection old = open.remove(random.nextInt(open.size()));
    begin();
    write(old);
    end(old, true);
  }

  private void write(Connection connection) throws SQLException {
    // What follows a savepoint gets an id of its own, newer than that of its transaction.
    Savepoint savepoint = random.nextInt(3) == 0 ? connection.setSavepoint() : null;
    List<Message> messages =
        IntStream.rangeClosed(0, random.nextInt(3))
            .mapToObj(
                i ->
                    Message.of("T")
                        .key("order", key(random.nextInt(KEYS)))
                        .json(new byte[random.nextInt(60)])
                        .build())
            .toList();
    store.append(connection, messages, Collections.nCopies(messages.size(), ""), false);
    if (savepoint != null && random.nextInt(2) == 0) {
      connection.rollback(savepoint);
    }
  }

  /** Takes a look, with other transactions continuing between the two statements of a claim. */
  private Look look() {
    int between = random.nextInt(4);
    return database.transaction(
        "looking",
        tx -> {
          long low;
          try (Query query = tx.query(LaneRow.LOCK)) {
            low = LaneRow.low(LaneRow.set(query, lane).set("token", lane.token()), lane);
          }
          // The claim has an id from here on; transactions that get an id now draw numbers above
          // low.
          for (int i = 0; i < between; i++) {
            write();
          }
          if (random.nextBoolean()) {
            overtake();
          }
          LaneRow row = LaneRow.look(tx, lane, low);
          return new Look(row.now(), row.low(), row.high());
        });
  }
}
