package io.posthorn.demo;

import java.time.Duration;
import java.util.Locale;

/**
 * The result of a demo.
 *
 * @param committed messages whose transaction was committed
 * @param rolledBack messages whose transaction was rolled back
 * @param delivered messages that reached every destination
 * @param lost committed messages that did not reach a destination
 * @param reordered messages that reached a destination after a later one of their order
 * @param phantom messages that reached a destination although they were never committed
 * @param duplicates repeated deliveries, which are allowed
 */
record DemoResult(
    long committed,
    long rolledBack,
    long delivered,
    long lost,
    long reordered,
    long phantom,
    long duplicates,
    int kills,
    Duration longestTakeover,
    Duration ran) {

  boolean isClean() {
    return lost == 0 && reordered == 0 && phantom == 0;
  }

  String json() {
    return String.format(
        Locale.ROOT,
        "{\"committed\":%d,\"delivered\":%d,\"lost\":%d,\"reordered\":%d,\"duplicates\":%d,\"kills\":%d,\"takeover_ms_max\":%d,\"seconds\":%.1f,\"rolled_back\":%d,\"phantom\":%d}",
        committed,
        delivered,
        lost,
        reordered,
        duplicates,
        kills,
        longestTakeover.toMillis(),
        ran.toMillis() / 1000.0,
        rolledBack,
        phantom);
  }

  String table() {
    return String.format(
        Locale.ROOT,
        """
        posthorn demo: %,d s, %s

          committed   %,11d   messages, each with the change of an order
          rolled back %,11d   %s
          delivered   %,11d   to each of %d destinations
          lost        %,11d
          reordered   %,11d
          duplicates  %,11d   allowed: delivery is at least once
        %s
        %s""",
        ran.toSeconds(),
        killed(),
        committed,
        rolledBack,
        phantom == 0 ? "none of these was delivered" : phantom + " OF THESE WERE DELIVERED",
        delivered,
        Shop.DESTINATIONS.size(),
        lost,
        reordered,
        duplicates,
        takeover(),
        isClean()
            ? "Nothing was lost, nothing was reordered."
            : "THIS IS A BUG. Please report it, with all of the above.");
  }

  private String killed() {
    return switch (kills) {
      case 0 -> "no relay killed";
      case 1 -> "a relay killed once with -9";
      default -> "relays killed " + kills + " times with -9";
    };
  }

  private String takeover() {
    return kills == 0
        ? ""
        : String.format(
            Locale.ROOT,
            "  takeover    %,9.1f s   longest time from a kill to the next delivery%n",
            longestTakeover.toMillis() / 1000.0);
  }
}
