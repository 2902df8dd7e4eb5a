package io.posthorn.demo;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One moment of the demo, to be shown.
 *
 * @param perSecond transactions per second, lately
 * @param complete messages that reached every destination
 * @param lost skipped by a destination so far
 * @param delivered different messages, by destination
 * @param latency milliseconds from adding to handling, the median of the newest
 * @param throughput deliveries of the newest moments, per second
 * @param events what happened, newest last
 * @param hint what the person can do now
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

  /** One relay as it stands. */
  record RelayLine(
      String name, long pid, RelayProcess.State state, List<String> lanes, Duration lease) {}

  /**
   * The newest kill.
   *
   * @param took null while its lanes stand still
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

  /** Committed, and not yet everywhere. */
  long waiting() {
    return Math.max(0, committed - complete);
  }

  long running() {
    return relays.stream().filter(r -> r.state() == RelayProcess.State.SERVING).count();
  }
}
