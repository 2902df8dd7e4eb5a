package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Key;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Move;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reading ahead, taking in, sending, settling and retrying in random order: a message is sent only
 * when all earlier messages of its key were sent or are dead. The database is a few maps. A page is
 * read from them at one moment; its reading began before, and it is taken in later.
 */
class ReserveOrderTest {
  private static final int MESSAGES = 60;
  private static final int PAGE = 3;
  private static final List<String> KEYS = List.of("a", "b", "c");

  /** A page that is being read, or in reserve. */
  private record Page(long read, List<Delivery> deliveries, Set<Key> blocked) {}

  private EngineFixture lane = new EngineFixture();
  private Random random = new Random();
  private List<Delivery> log = new ArrayList<>();
  private int readTo;
  private final Map<Key, TreeMap<Long, Delivery>> parked = new HashMap<>();
  private final Map<UUID, Delivery> dead = new HashMap<>();
  private final Set<UUID> done = new LinkedHashSet<>();
  private final Set<UUID> requeued = new HashSet<>();
  private final Deque<Page> reserve = new ArrayDeque<>();
  private long reading;
  private Settling settling;
  private boolean committed;
  private TrackedBatch parkedBatch;
  private final List<TrackedDelivery> inFlight = new ArrayList<>();
  private int retriedBesideReserve;

  @ParameterizedTest
  @ValueSource(longs = {1, 2_000, 4_000, 6_000})
  void nothing_overtakes_its_key_however_pages_settles_and_retries_interleave(long seed) {
    int besideReserve = 0;
    for (long run = seed; run < seed + 500; run++) {
      ReserveOrderTest one = new ReserveOrderTest();
      one.play(run);
      besideReserve += one.retriedBesideReserve;
    }
    assertThat(besideReserve).as("retries while pages were in reserve").isGreaterThan(500);
  }

  private void play(long seed) {
    random = new Random(seed);
    lane = new EngineFixture(choices -> choices.breakerAfter(1_000));
    for (int i = 0; i < MESSAGES; i++) {
      log.add(lane.delivery("T", KEYS.get(random.nextInt(KEYS.size())) + i, null));
    }
    for (int step = 0; step < 100_000 && !over(); step++) {
      lane.pass(Duration.ofMillis(1));
      switch (random.nextInt(8)) {
        case 0 -> beginReading();
        case 1 -> read();
        case 2 -> takeIn();
        case 3 -> send();
        case 4 -> answer();
        case 5 -> settle();
        case 6 -> claimParked();
        default -> requeue();
      }
    }
    assertThat(over()).as("all messages ended in run %d", seed).isTrue();
  }

  private boolean over() {
    return done.size() == MESSAGES && parked.isEmpty() && lane.engine.logBatches().isEmpty();
  }

  private void beginReading() {
    if (reading == 0 && readTo < MESSAGES && reserve.size() < 4) {
      reading = lane.engine.chains().readBegins();
    }
  }

  private void read() {
    if (reading == 0) {
      return;
    }
    List<Delivery> found = log.subList(readTo, Math.min(MESSAGES, readTo + PAGE));
    readTo += found.size();
    reserve.add(new Page(reading, found, Set.copyOf(parked.keySet())));
    reading = 0;
  }

  private void takeIn() {
    Page page = reserve.poll();
    if (page != null) {
      lane.take(page.blocked, page.deliveries);
      lane.engine.chains().readTaken(page.read);
      if (reserve.isEmpty() && reading == 0) {
        lane.engine.chains().allReadsTaken();
      }
    }
  }

  private void send() {
    for (TrackedDelivery tracked : lane.engine.dispatch(lane.now)) {
      inFlight.add(tracked);
      Delivery sending = tracked.delivery;
      retriedBesideReserve += sending.parked() && !reserve.isEmpty() ? 1 : 0;
      if (!requeued.contains(sending.message().id())) {
        assertThat(log)
            .filteredOn(d -> d.seq() < sending.seq())
            .filteredOn(d -> d.message().key().equals(sending.message().key()))
            .as("earlier messages of the key of %s", EngineFixture.name(sending))
            .allMatch(d -> done.contains(d.message().id()));
      }
    }
  }

  private void answer() {
    if (inFlight.isEmpty()) {
      return;
    }
    TrackedDelivery tracked = inFlight.remove(random.nextInt(inFlight.size()));
    int lot = random.nextInt(10);
    if (lot < 3) {
      lane.engine.answer(tracked, Outcome.failed(EngineFixture.BROKEN), lane.now);
    } else {
      done.add(tracked.delivery.message().id());
      boolean rejected = lot == 3 && !requeued.contains(tracked.delivery.message().id());
      lane.engine.answer(
          tracked, rejected ? Outcome.rejected(EngineFixture.BROKEN) : Outcome.SENT, lane.now);
    }
  }

  /** Makes a settle, stores it or reports it to the lane: one of these steps per call. */
  private void settle() {
    if (settling == null) {
      settling = new Settling(lane.engine);
      committed = false;
    } else if (!committed) {
      UUID any = new UUID(0, 0);
      settling.settlement(new Lane("d", 0, any), any, any, null).moves().forEach(this::write);
      committed = true;
    } else {
      settling.written("d", event -> {});
      settling = null;
    }
  }

  private void write(Move move) {
    Delivery delivery = move.delivery();
    Key key = delivery.message().key();
    if (move instanceof Move.Park) {
      parked.computeIfAbsent(key, k -> new TreeMap<>()).put(delivery.seq(), delivery.asParked());
      return;
    }
    if (parked.containsKey(key)) {
      parked.get(key).remove(delivery.seq());
      parked.computeIfPresent(key, (k, rest) -> rest.isEmpty() ? null : rest);
    }
    if (move instanceof Move.Die) {
      dead.put(delivery.message().id(), delivery);
    }
  }

  /** Never runs beside a settle, since a lane makes one call at a time that locks it. */
  private void claimParked() {
    boolean busy = parkedBatch != null && lane.engine.parkedBatches().contains(parkedBatch);
    if (settling != null || busy || parked.isEmpty()) {
      return;
    }
    List<Delivery> found = new ArrayList<>();
    parked.values().forEach(run -> run.values().stream().limit(2).forEach(found::add));
    parkedBatch = lane.engine.takeParked(found);
  }

  /** Requeues a dead message; the messages behind it were not held up. */
  private void requeue() {
    if (settling == null && !dead.isEmpty() && random.nextInt(5) == 0) {
      Delivery letter = dead.remove(dead.keySet().iterator().next());
      requeued.add(letter.message().id());
      parked
          .computeIfAbsent(letter.message().key(), k -> new TreeMap<>())
          .put(letter.seq(), letter.asParked());
    }
  }
}
