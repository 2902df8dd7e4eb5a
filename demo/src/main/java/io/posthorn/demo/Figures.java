package io.posthorn.demo;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the demo at one moment.
 *
 * @param perSecond transactions per second over the last two seconds
 * @param complete messages that reached every destination
 * @param lost messages that a destination has skipped so far
 * @param delivered number of different messages by destination
 * @param latency milliseconds from adding to handling, the median of the newest messages
 * @param throughput deliveries per second, newest last
 * @param events descriptions of what happened, newest last
 * @param hint what the user can do now
 */
record Figures(
    int version,
    int port,
    Duration elapsed,
    long perSecond,
    long committed,
    long rolledBack,
    Map<String, Long> delivered,
    long complete,
    long lost,
    long reordered,
    long duplicates,
    long phantom,
    long latency,
    List<RelayLine> relays,
    int kills,
    @Nullable LastKill lastKill,
    Duration longestTakeover,
    List<Long> throughput,
    List<String> events,
    String hint) {

  /** The state of one relay. */
  record RelayLine(
      String name, long pid, RelayProcess.State state, List<String> lanes, Duration lease) {}

  /**
   * The newest kill.
   *
   * @param took null until another relay delivers on its lanes
   */
  record LastKill(
      String relay, long pid, Duration ago, List<String> lanes, @Nullable Duration took) {

    static @Nullable LastKill of(Takeovers.@Nullable Takeover takeover) {
      return takeover == null
          ? null
          : new LastKill(
              takeover.relay(),
              takeover.pid(),
              Duration.ofMillis(System.currentTimeMillis() - takeover.killedAt()),
              takeover.lanes(),
              takeover.isDone() ? takeover.took() : null);
    }
  }

  /** Returns the number of committed messages that a destination has not got yet. */
  long waiting() {
    return Math.max(0, committed - complete);
  }

  long running() {
    return relays.stream().filter(r -> r.state() == RelayProcess.State.SERVING).count();
  }
}
