package io.posthorn.crashtests;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testkit.Oracle;
import io.posthorn.testkit.OracleReport;
import io.posthorn.testservers.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A database with producers, relay processes and receivers, and what must be true of them in the
 * end: whatever was killed, every destination got every message, in order.
 */
final class World implements AutoCloseable {
  static final String ORDERS = "orders";

  /** For a relay's connections: a server that does not answer is given up. */
  static final String TIMEOUTS = "&socketTimeout=5&connectTimeout=2";

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final HikariDataSource dataSource;
  private final String url;
  private final long seed;
  private final Path file;
  private final Journal journal;
  private final Map<String, Oracle> oracles = new HashMap<>();
  private final List<RelayProcess> relays = new ArrayList<>();
  private final List<Traffic> traffics = new ArrayList<>();
  private final Set<String> failed = new HashSet<>();
  private final List<Long> serverCrashes = new ArrayList<>();
  private final Query query;

  private World(DataSource dataSource, String url, long seed, List<String> destinations) {
    this.dataSource = Pool.of(dataSource);
    this.url = url;
    this.seed = seed;
    this.query = new Query(this.dataSource);
    new Migrations(Tables.DEFAULT).migrate(this.dataSource);
    destinations.forEach(name -> oracles.put(name, Oracle.in(this.dataSource)));
    try {
      this.file = Files.createTempFile("deliveries", ".tsv");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.journal = new Journal(file, this::judge);
  }

  /** A fresh database in this server. */
  static World in(EmbeddedPostgres postgres, long seed, String... destinations) {
    String database = postgres.freshDatabase();
    return at(
        postgres.dataSource(database), postgres.jdbcUrl(database) + TIMEOUTS, seed, destinations);
  }

  /**
   * @param dataSource for producers and for looking
   * @param url for relays
   */
  static World at(DataSource dataSource, String url, long seed, String... destinations) {
    List<String> names = destinations.length == 0 ? List.of(ORDERS) : List.of(destinations);
    return new World(dataSource, url, seed, names);
  }

  private void judge(Journal.Line line) {
    Oracle oracle = oracles.get(line.destination());
    // What fails every time arrives once, as far as its key's order is concerned.
    if (oracle != null
        && line.arrived()
        && (line.accepted() || failed.add(line.destination() + line.messageId()))) {
      oracle.observeLine(line.content());
    }
  }

  // ---- who takes part

  /** A relay for {@code orders}, of everything that is wanted. */
  RelaySetup setup(String name) {
    return RelaySetup.of(name, url, file, receiver(ORDERS, 3));
  }

  static RelaySetup.Receiver receiver(String destination, int millis) {
    return new RelaySetup.Receiver(
        destination, Set.copyOf(Traffic.WANTED), Set.copyOf(Traffic.WANTED), millis, true);
  }

  RelayProcess start(RelaySetup setup) {
    return keep(RelayProcess.start(setup));
  }

  RelayProcess start(String name) {
    return start(setup(name));
  }

  RelayProcess keep(RelayProcess relay) {
    relays.add(relay);
    return relay;
  }

  Traffic traffic() {
    Traffic traffic =
        new Traffic(
            dataSource,
            PostgresqlStore.on(dataSource),
            oracles.values().iterator().next(),
            seed + traffics.size());
    traffics.add(traffic);
    return traffic;
  }

  // ---- what is seen

  Query query() {
    return query;
  }

  /** The store, to operate it with. */
  OperatorStore operator() {
    return PostgresqlStore.on(dataSource);
  }

  Oracle oracle() {
    return oracles.values().iterator().next();
  }

  Journal journal() {
    return journal.read();
  }

  /** Where relays record what they have sent. */
  private Path sent() {
    return RelayMain.sent(file);
  }

  /** The ids of messages that were sent and that the database does not know. */
  Set<String> ghosts() {
    Set<String> ghosts = new HashSet<>();
    Restore.on(operator())
        .ghosts(sent(), Instant.EPOCH, entry -> ghosts.add(entry.message().toString()));
    return ghosts;
  }

  /** The relay that holds this lane and is alive by the database; waits for one. */
  RelayProcess holder(String destination) {
    return eventually(
        "a holder of " + destination, () -> byName(query.holder(destination)).orElse(null));
  }

  /** Waits until {@code relayCount} relays share the lanes, so that none is about to move. */
  void awaitShared(int relayCount) {
    eventually(
        "the lanes to be shared by " + relayCount + " relays",
        () -> query.holders().size() == relayCount ? true : null);
  }

  /** Waits for a value that is not null. */
  <T> T eventually(String what, Callable<@Nullable T> value) {
    try {
      return await(what)
          .atMost(PATIENCE)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(20))
          .until(value, found -> found != null);
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(story("waited in vain for " + what), e);
    }
  }

  private Optional<RelayProcess> byName(String name) {
    return relays.stream().filter(relay -> relay.name().equals(name)).findFirst();
  }

  /** Waits until another process than these has delivered something after that moment. */
  Journal.Line awaitDelivery(String destination, long afterNanos, Set<Long> notPids) {
    return eventually(
        "a delivery by another process than " + notPids,
        () ->
            journal()
                .deliveries()
                .filter(line -> line.destination().equals(destination))
                .filter(line -> line.nanos() > afterNanos && !notPids.contains(line.pid()))
                .findFirst()
                .orElse(null));
  }

  void awaitDelivery(String destination) {
    awaitDelivery(destination, System.nanoTime(), Set.of());
  }

  /** Waits until everything that is committed now has arrived; the traffic goes on. */
  void awaitArrival() {
    awaitArrivalOnly();
    checkOrder();
    checkRepeats();
  }

  private void awaitArrivalOnly() {
    List<String> wanted = query.wanted();
    // This is what a loss looks like.
    BrokenPromise.unless(
        () ->
            eventually(
                "everything to arrive",
                () ->
                    oracles.keySet().stream().allMatch(name -> missing(name, wanted).isEmpty())
                        ? true
                        : null));
  }

  /** Ends the traffic, waits until everything has arrived, and checks that all is well. */
  void finish() {
    finishAfterLoss();
    checkOrder();
    checkRepeats();
    oracles.forEach(
        (name, oracle) -> {
          if (!oracle.verdict().isClean()) {
            throw new BrokenPromise(story(name + ": " + oracle.verdict().offenders()));
          }
        });
  }

  /**
   * Sends by a relay after another one had taken its lane. None if no relay is frozen, and none
   * loses its lane while it lives.
   */
  List<Journal.Line> staleSends(String destination) {
    List<Journal.Line> stale = new ArrayList<>();
    long holder = 0;
    for (Journal.Line line : journal().lines()) {
      if (line.destination().equals(destination)) {
        if (line.event().equals("LaneTaken")) {
          holder = line.pid();
        } else if (line.delivery() && line.pid() != holder) {
          stale.add(line);
        }
      }
    }
    return stale;
  }

  /**
   * The same where the server has lost transactions that were delivered: then the oracle, which
   * counts, cannot be asked.
   */
  void finishAfterLoss() {
    traffics.forEach(Traffic::stop);
    awaitArrivalOnly();
    // What is stuck is lost.
    BrokenPromise.unless(
        () -> {
          eventually(
              "messages without a route to be noticed", () -> query.unparked() == 0 ? true : null);
          eventually(
              "parked messages to go",
              () -> new Checks(query, journal()).stillParked().isEmpty() ? true : null);
        });
    List<String> wrongs = new Checks(query, journal()).wrongs(oracles.keySet());
    if (!wrongs.isEmpty()) {
      throw new BrokenPromise(story(String.join("\n", wrongs)));
    }
  }

  private void checkOrder() {
    oracles.forEach(
        (name, oracle) -> {
          OracleReport verdict = oracle.verdict();
          if (verdict.reordered() > 0 || verdict.phantom() > 0 || verdict.corrupted() > 0) {
            throw new BrokenPromise(story(name + ": " + verdict.offenders()));
          }
        });
  }

  /** The server has just been killed, and does not run yet. */
  void serverCrashed() {
    serverCrashes.add(System.nanoTime());
  }

  Repeats repeats(String destination) {
    return new Repeats(journal().lines(), destination, serverCrashes);
  }

  private void checkRepeats() {
    for (String destination : oracles.keySet()) {
      List<String> wrongs = repeats(destination).wrongs(setup("any").batchSize());
      if (!wrongs.isEmpty()) {
        throw new BrokenPromise(story(String.join("\n", wrongs)));
      }
    }
  }

  /** How many deliveries to this destination were repetitions of accepted ones. */
  long duplicates(String destination) {
    return journal()
        .deliveries()
        .filter(line -> line.destination().equals(destination) && line.accepted())
        .collect(Collectors.groupingBy(Journal.Line::messageId, Collectors.counting()))
        .values()
        .stream()
        .mapToLong(times -> times - 1)
        .sum();
  }

  /** How often the lane of this destination was lost by a relay that lived on. */
  long losses(String destination) {
    return journal().lines().stream()
        .filter(line -> line.destination().equals(destination) && line.event().equals("LaneLost"))
        .count();
  }

  private Set<String> missing(String destination, List<String> wanted) {
    Set<String> missing = new HashSet<>(wanted);
    journal()
        .deliveries()
        .filter(line -> line.destination().equals(destination) && line.arrived())
        .forEach(line -> missing.remove(line.messageId()));
    missing.removeAll(query.held(destination));
    return missing;
  }

  /** For the message of a failure. */
  String story(String what) {
    StringBuilder story = new StringBuilder(what).append(" (seed ").append(seed).append(")");
    oracles.forEach(
        (name, oracle) -> {
          story.append("\n").append(name).append(": ").append(oracle.verdict());
          Set<String> missing = missing(name, query.wanted());
          story
              .append(", missing ")
              .append(missing.size())
              .append(" ")
              .append(query.where(name, missing.stream().sorted().limit(20).toList()));
        });
    story.append("\nlanes: ").append(query.lanes());
    relays.forEach(relay -> story.append("\n").append(relay.log()));
    journal().lines().stream()
        .filter(
            line ->
                !line.delivery()
                    && !line.event().equals("Sent")
                    && !line.event().equals("Parked")
                    && !line.event().equals("CallFailed"))
        .forEach(line -> story.append("\n").append(line));
    return story.toString();
  }

  private void deleteSent() throws IOException {
    if (Files.isDirectory(sent())) {
      try (Stream<Path> files = Files.list(sent())) {
        for (Path each : files.toList()) {
          Files.delete(each);
        }
      }
      Files.delete(sent());
    }
  }

  @Override
  public void close() {
    traffics.forEach(Traffic::close);
    relays.forEach(RelayProcess::close);
    journal.close();
    dataSource.close();
    try {
      Files.deleteIfExists(file);
      deleteSent();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
