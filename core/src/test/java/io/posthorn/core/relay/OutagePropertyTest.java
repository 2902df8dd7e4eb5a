package io.posthorn.core.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.relay.OutageSimulation.Phase;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Guarantees about blame in every order of events, played with many seeds. */
class OutagePropertyTest {
  private static final List<Phase> OUTAGES = List.of(Phase.DOWN, Phase.UNREACHABLE, Phase.SILENT);
  private static final Duration LONG = Duration.ofHours(2);

  private static List<Long> seeds() {
    return new Random(42).longs(Integer.getInteger("posthorn.seeds", 40)).boxed().toList();
  }

  private static OutageSimulation simulation(long seed, int attempts, int leastPage) {
    Random choice = new Random(seed);
    int breakerAfter = 2 + choice.nextInt(19);
    int inFlight = choice.nextBoolean() ? 100 : 1 + choice.nextInt(5);
    int page = leastPage + choice.nextInt(40);
    UnaryOperator<Destination.Builder> choices =
        builder ->
            builder
                .breakerAfter(breakerAfter)
                .retry(OutageSimulation.RETRY.attempts(attempts))
                .limit(SendLimit.DEFAULT.maxInFlight(inFlight));
    return new OutageSimulation(seed, page, page + choice.nextInt(40), choices);
  }

  /** Adds messages of this number of keys, and some without a key, while time passes. */
  private static void traffic(OutageSimulation lane, Duration time, int keys, int most) {
    for (long passed = 0; passed < time.toMillis(); passed += 200) {
      for (int i = lane.random.nextInt(most + 1); i > 0; i--) {
        int key = lane.random.nextInt(keys + 1);
        lane.add(key == keys ? null : "k" + key, false);
      }
      lane.run(Duration.ofMillis(200));
    }
  }

  private static Phase any(OutageSimulation lane) {
    List<Phase> all = List.of(Phase.values());
    return all.get(lane.random.nextInt(all.size()));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void an_outage_in_which_nothing_is_sent_burns_no_attempt(long seed) {
    OutageSimulation lane = simulation(seed, 1, 1);
    int keys = 1 + lane.random.nextInt(30);
    int most = 1 + lane.random.nextInt(4);
    for (int i = 0; i < 4; i++) {
      traffic(lane.phase(Phase.GOOD), Duration.ofSeconds(6 + lane.random.nextInt(6)), keys, most);
      Phase outage = OUTAGES.get(lane.random.nextInt(OUTAGES.size()));
      traffic(lane.phase(outage), Duration.ofSeconds(2 + lane.random.nextInt(20)), keys, most);
    }
    lane.phase(lane.random.nextBoolean() ? Phase.GOOD : Phase.SLOW);
    assertThat(lane.runToTheEnd(LONG)).as("all are sent in the end: %s left", lane.left()).isTrue();
    assertThat(lane.charged()).as(lane.history(false)).isZero();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void from_the_first_message_on_an_outage_burns_no_attempt(long seed) {
    OutageSimulation lane = simulation(seed, 1, 1);
    Phase outage = OUTAGES.get(lane.random.nextInt(OUTAGES.size()));
    int keys = 1 + lane.random.nextInt(30);
    traffic(lane.phase(outage), Duration.ofMinutes(1), keys, 1 + lane.random.nextInt(3));
    assertThat(lane.charged()).as(lane.history(false)).isZero();
    lane.phase(Phase.GOOD);
    assertThat(lane.runToTheEnd(LONG)).isTrue();
    assertThat(lane.charged()).as(lane.history(false)).isZero();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void every_poison_message_is_dead_soon_while_others_are_sent(long seed) {
    OutageSimulation lane = simulation(seed, 3, 30);
    int poison = 1 + lane.random.nextInt(30);
    traffic(lane, Duration.ofSeconds(2), 5, 3);
    for (int i = 0; i < poison; i++) {
      lane.add(lane.random.nextBoolean() ? "p" + i : null, true);
    }
    traffic(lane, Duration.ofMinutes(10), 5, 3);
    assertThat(lane.deadPoison()).as(lane.history(true)).isEqualTo(poison);
    assertThat(lane.charged()).as(lane.history(false)).isZero();
    assertThat(lane.runToTheEnd(LONG)).isTrue();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void where_some_fail_at_random_all_ends_and_attempts_count(long seed) {
    OutageSimulation lane = simulation(seed, 3, 30);
    double part = List.of(0.01, 0.3, 0.6).get(lane.random.nextInt(3));
    lane.failing(part).phase(Phase.SOME_FAIL);
    for (int i = 0; i < 3; i++) {
      lane.add("p" + i, true);
    }
    traffic(lane, Duration.ofMinutes(10), 20, 3);
    assertThat(lane.deadPoison()).as(lane.history(true)).isEqualTo(3);
    lane.phase(Phase.GOOD);
    assertThat(lane.runToTheEnd(LONG)).isTrue();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void all_ends_whatever_happens(long seed) {
    OutageSimulation lane = simulation(seed, 3, 1).failing(0.5);
    for (int i = 0; i < 12; i++) {
      if (lane.random.nextInt(3) == 0) {
        lane.add("p" + i, true);
      }
      lane.phase(any(lane));
      traffic(lane, Duration.ofMillis(200 + lane.random.nextInt(6_000)), 8, 3);
    }
    traffic(lane.phase(Phase.GOOD), Duration.ofMinutes(2), 8, 2);
    assertThat(lane.runToTheEnd(LONG)).as("%s left", lane.left()).isTrue();
  }
}
