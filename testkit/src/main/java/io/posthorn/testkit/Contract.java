package io.posthorn.testkit;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.MessageStory;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;

/**
 * One topic of what every store promises. Extend it and say on which database; {@link
 * StoreContract} has all topics at once.
 */
public abstract class Contract {
  /** The destination of most tests; every type is routed to it. */
  protected static final String SHOP = "shop";

  protected static final String APPLICATION = "tests";
  protected static final Duration LEASE = Duration.ofMinutes(10);

  private TestDatabase database;
  private Store store;
  private final StateMoves moves = new StateMoves();

  @SuppressWarnings("NullAway.Init") // JUnit calls open() first
  protected Contract() {}

  /** An empty database for one test, which closes it at its end. */
  protected abstract TestDatabase database();

  @BeforeEach
  void open() {
    database = database();
    store = database.store();
  }

  @AfterEach
  void close() {
    try {
      moves.messages().forEach(this::find);
    } finally {
      database.close();
    }
  }

  final TestDatabase db() {
    return database;
  }

  final Store store() {
    return store;
  }

  /** Skips a test that counts what a single lane does, if destinations have several. */
  final void countsWhatOneLaneDoes() {
    Assumptions.assumeTrue(db().lanes() == 1, "it counts what one lane does");
  }

  /** The story of a message; fails if it contradicts what this test saw before. */
  final Optional<MessageStory> find(UUID message) {
    return store.find(message).map(this::seen);
  }

  /** Fails if a state does not follow from those that this test saw before. */
  final MessageStory seen(MessageStory story) {
    return moves.seen(story);
  }

  /** The next state of each message may be the work of a person. */
  final void byHand() {
    moves.byHand();
  }

  /** Adds these in one transaction and commits it. */
  final void commit(Message... messages) {
    begin().add(messages).commit();
  }

  final OpenTransaction begin() {
    return new OpenTransaction(database.dataSource(), store);
  }

  final void register(String destination, String... types) {
    store.register(APPLICATION, List.of(new ServedDestination(destination, Set.of(types))));
  }

  /** A lane of a destination that wants everything from now on, taken by a new relay. */
  final TestLane serve(String destination) {
    register(destination, ServedDestination.ALL_TYPES);
    return take(destination);
  }

  final TestLane take(String destination) {
    return take(store, destination);
  }

  static TestLane take(Store store, String destination) {
    return new TestLane(store, store.take(join(store), destination, 0).orElseThrow());
  }

  static RelayIdentity join(Store store) {
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "relay", APPLICATION);
    store.join(
        relay, List.of(new ServedDestination(SHOP, Set.of(ServedDestination.ALL_TYPES))), LEASE);
    return relay;
  }

  /** Another relay takes the lane after the lease of its holder has run out. */
  final TestLane takeOver(String destination) {
    database.pass(LEASE.plusMinutes(1));
    return take(database.anotherStore(), destination);
  }

  static Delivery only(Batch batch) {
    if (batch.deliveries().size() != 1) {
      throw new AssertionError("expected one message: " + batch.deliveries());
    }
    return batch.deliveries().get(0);
  }
}
