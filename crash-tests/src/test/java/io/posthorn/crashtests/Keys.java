package io.posthorn.crashtests;

import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.testkit.Oracle;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The keys that producers write to; their names tell receivers how to treat the messages. */
final class Keys {
  static final String HOT = "hot";
  static final String FLAKY = "flaky";
  static final String DOOMED = "doomed";
  static final String WEARY = "weary";
  static final String HELD = "held";

  /** What becomes of a message at the receiver. */
  enum Fate {
    FINE,
    FAILS_ONCE,
    FAILS,
    REJECTED
  }

  private Keys() {}

  /** One hot key and many cold ones. */
  static List<String> plain() {
    List<String> keys = numbered("cold-", 40);
    keys.add(HOT);
    return keys;
  }

  /** Keys of which some messages fail: at first, always, or for good. */
  static List<String> troubled() {
    List<String> keys = numbered(FLAKY + "-", 4);
    keys.addAll(numbered(DOOMED + "-", 3));
    keys.addAll(numbered(WEARY + "-", 3));
    return keys;
  }

  /** Keys of transactions that stay open for long. */
  static List<String> late() {
    return numbered("late-", 5);
  }

  private static List<String> numbered(String prefix, int count) {
    return new ArrayList<>(IntStream.range(0, count).mapToObj(i -> prefix + i).toList());
  }

  static Fate fate(Message message) {
    Key key = message.key();
    return key == null ? Fate.FINE : fate(key.id(), number(message));
  }

  private static Fate fate(String key, long n) {
    if (key.startsWith(FLAKY) && n % 5 == 0) {
      return Fate.FAILS_ONCE;
    }
    if (key.startsWith(WEARY) && n % 20 == 0) {
      return Fate.FAILS;
    }
    if ((key.startsWith(DOOMED) && n % 4 == 0) || (key.startsWith(HELD) && n == 3)) {
      return Fate.REJECTED;
    }
    return Fate.FINE;
  }

  private static long number(Message message) {
    String text =
        message.type().equals(Oracle.TYPE)
            ? Oracle.line(message)
            : new String(message.payload(), java.nio.charset.StandardCharsets.UTF_8);
    return number(text);
  }

  /** The number at the end. */
  static long number(String content) {
    String last = content.substring(content.lastIndexOf(' ') + 1);
    try {
      return Long.parseLong(last);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /**
   * Whether this answer was the end of the message, as far as its key is concerned: it arrived, or
   * was refused, or will be given up. What failed and will be tried again has not arrived.
   */
  static boolean arrives(@Nullable String outcome, String content) {
    return "Sent".equals(outcome)
        || "Rejected".equals(outcome)
        || ("Failed".equals(outcome) && content.contains(" " + WEARY));
  }
}
