package io.posthorn.examples.campuscafe.stage;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.postgresql.PostgresqlStore;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads the databases of both shops. */
final class Books implements AutoCloseable {
  private static final int PAGE = 100;

  private final Map<String, HikariDataSource> databases = new TreeMap<>();

  Books(Cafe cafe) {
    for (String name : Stream.concat(Cafe.SERVICES.stream(), Stream.of(Cafe.DUAL_WRITE)).toList()) {
      HikariDataSource pool = new HikariDataSource();
      pool.setPoolName("stage-" + name);
      pool.setJdbcUrl(cafe.postgres().jdbcUrl(name));
      pool.setMaximumPoolSize(2);
      pool.setMinimumIdle(0);
      pool.setConnectionTimeout(2_000);
      pool.setInitializationFailTimeout(-1);
      databases.put(name, pool);
    }
  }

  Shop posthorn() throws SQLException {
    return Shop.read(name -> name, this::database, "id");
  }

  Shop dualWrite() throws SQLException {
    return Shop.read(name -> Cafe.DUAL_WRITE, this::database, "request");
  }

  /** The number of dead letters that wait for a person, by service. */
  Map<String, Long> letters() {
    Map<String, Long> letters = new TreeMap<>();
    for (String name : Cafe.SERVICES) {
      long count = deadLetters(name).count(DeadLetterQuery.builder().build());
      if (count > 0) {
        letters.put(name, count);
      }
    }
    return letters;
  }

  /**
   * Does what a person would do about orders of a drink that is not on the menu: corrects each
   * message, and requeues it.
   *
   * @return the number of letters
   */
  int correctPoisonOrders(String drink) {
    DeadLetters letters = deadLetters(Cafe.STOCK);
    DeadLetterQuery unknown = DeadLetterQuery.builder().reason("UNKNOWN_DRINK").build();
    List<DeadLetter> found = letters.list(unknown, null, PAGE);
    for (DeadLetter letter : found) {
      String payload =
          letters
              .find(letter.id())
              .map(detail -> new String(detail.message().payload(), StandardCharsets.UTF_8))
              .orElseThrow();
      String corrected = payload.replace(Customers.POISON, drink);
      letters.requeue(
          List.of(letter.id()),
          Requeue.SAME.withPayload(corrected.getBytes(StandardCharsets.UTF_8)),
          new Actor("stage", "the menu calls it " + drink));
    }
    return found.size();
  }

  private DeadLetters deadLetters(String service) {
    return DeadLetters.on(PostgresqlStore.on(database(service)));
  }

  private HikariDataSource database(String name) {
    return Objects.requireNonNull(databases.get(name), name);
  }

  @Override
  public void close() {
    databases.values().forEach(HikariDataSource::close);
  }
}
