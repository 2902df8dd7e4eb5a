package io.posthorn.crashtests;

import io.posthorn.core.connector.Reason;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a receiver has accepted more than once, and which crash that is put down to.
 *
 * <p>A message comes again because one who held the lane had sent it and not settled it: whichever
 * of the two holds began first. No hold has sent more than a batch that is not settled; so no hold,
 * however it ended, is the reason of more repeats. One that ended gracefully has nothing unsettled.
 * A server that crashes may take back the last settle, which was of no more than that either.
 *
 * <p>A message whose answer came too late is sent again by the relay that waited for it. That
 * repeat is put down to nobody, even if the receiver takes the message only after it was given up:
 * after a freeze, both are due at once.
 */
final class Repeats {
  /** From the line where a relay took the lane. */
  private record Hold(long pid, int from) {}

  private record Delivered(Hold by, long nanos) {}

  private record Attempt(String messageId, Hold by) {}

  /** A message that came again. */
  record Repeat(String messageId, long first, long again) {}

  private final List<Long> serverCrashes;
  private final Map<Long, Hold> current = new HashMap<>();
  private final Set<Hold> released = new HashSet<>();
  private final Map<String, Delivered> delivered = new HashMap<>();
  private final Set<Attempt> refused = new HashSet<>();
  private final Set<Attempt> givenUp = new HashSet<>();
  private final List<Journal.Line> lines;
  private final Map<Object, List<String>> blamed = new HashMap<>();
  private final List<Repeat> all = new ArrayList<>();

  Repeats(List<Journal.Line> lines, String destination, List<Long> serverCrashes) {
    this.lines = lines;
    this.serverCrashes = serverCrashes;
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).destination().equals(destination)) {
        read(lines.get(i), i);
      }
    }
  }

  private void read(Journal.Line line, int number) {
    Hold hold = current.getOrDefault(line.pid(), new Hold(line.pid(), 0));
    switch (line.event()) {
      case "LaneTaken" -> current.put(line.pid(), new Hold(line.pid(), number));
      case "LaneReleased" -> released.add(hold);
      case "CallFailed" -> failed(line, new Attempt(line.outcome(), hold));
      default -> {}
    }
    if (line.accepted()) {
      accepted(line, hold);
    } else if (line.delivery()) {
      refused.add(new Attempt(line.messageId(), hold));
    }
  }

  /** If it is out of time, the relay does not know that it was delivered, or will be. */
  private void failed(Journal.Line line, Attempt attempt) {
    if (refused.remove(attempt) || !line.reason().equals(Reason.TIMEOUT)) {
      return;
    }
    Delivered was = delivered.get(attempt.messageId);
    if (was != null && was.by.equals(attempt.by)) {
      delivered.remove(attempt.messageId);
    } else {
      givenUp.add(attempt);
    }
  }

  private void accepted(Journal.Line line, Hold hold) {
    boolean late = givenUp.remove(new Attempt(line.messageId(), hold));
    Delivered now = new Delivered(hold, line.nanos());
    Delivered before = delivered.get(line.messageId());
    if (before != null) {
      all.add(new Repeat(line.messageId(), before.nanos, now.nanos));
      blamed.computeIfAbsent(blame(before, now), any -> new ArrayList<>()).add(line.messageId());
    }
    if (late) {
      delivered.remove(line.messageId());
    } else {
      delivered.put(line.messageId(), now);
    }
  }

  private Object blame(Delivered before, Delivered now) {
    Long crash = crashBetween(before.nanos, now.nanos);
    Hold older = before.by.from <= now.by.from ? before.by : now.by;
    return crash == null ? older : crash;
  }

  private @Nullable Long crashBetween(long from, long to) {
    return serverCrashes.stream().filter(at -> from < at && at < to).findFirst().orElse(null);
  }

  List<Repeat> all() {
    return all;
  }

  /** Crashes with more repeats than there may be, for batches of {@code batch} messages. */
  List<String> wrongs(int batch) {
    List<String> wrongs = new ArrayList<>();
    blamed.forEach(
        (crash, repeats) -> {
          int most = released.contains(crash) ? 0 : batch;
          if (repeats.size() > most) {
            wrongs.add(
                "%d repeats put down to %s, at most %d%s"
                    .formatted(repeats.size(), crash, most, linesOf(repeats)));
          }
        });
    return wrongs;
  }

  /** What happened to these messages, so that a person can find out why. */
  private String linesOf(List<String> messageIds) {
    return lines.stream()
        .filter(
            line -> messageIds.contains(line.messageId()) || messageIds.contains(line.outcome()))
        .map(line -> "\n  " + line)
        .collect(Collectors.joining());
  }
}
