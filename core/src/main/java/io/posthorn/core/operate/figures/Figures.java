package io.posthorn.core.operate.figures;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The whole database in figures.
 *
 * @param destinations all destinations, including the built-in one for unrouted messages
 * @param relays the number of live relays
 * @param letters dead letters that wait for a person, by destination, type and reason
 * @param rescues requeued dead letters, by outcome
 * @param expiring dead letters that wait for a person and will be removed soon
 * @param retention what is kept longer than configured
 */
public record Figures(
    List<DestinationFigures> destinations,
    long relays,
    List<Letters> letters,
    List<Rescues> rescues,
    List<Expiring> expiring,
    Retention retention) {

  /**
   * A number of things. If there are too many to count, it is an estimate.
   *
   * @param estimated whether the number is extrapolated from a part of the things
   */
  public record Count(long number, boolean estimated) {
    /** A number that was counted. */
    public static Count exactly(long number) {
      return new Count(number, false);
    }

    /** The number with its noun, for people: {@code 1 message}, {@code about 20,000 messages}. */
    public String of(String one) {
      return of(one, one + "s");
    }

    /** The number with its noun, for nouns with an irregular plural: {@code 2 leaves}. */
    public String of(String one, String many) {
      return String.format(
          Locale.ROOT, "%s%,d %s", estimated ? "about " : "", number, number == 1 ? one : many);
    }

    /** The sum. It is an estimate if one of the two is. */
    public Count plus(Count other) {
      return new Count(number + other.number, estimated || other.estimated);
    }
  }

  /**
   * Dead letters that wait for a person.
   *
   * @param reason why the last attempt failed
   */
  public record Letters(String destination, String type, String reason, Count count) {}

  /**
   * Requeued dead letters.
   *
   * @param outcome SENT, DEAD (dead again), or WAITING (not decided yet)
   */
  public record Rescues(String outcome, Count count) {}

  /**
   * Dead letters of a destination that will be removed within {@link
   * io.posthorn.core.operate.retention.RetentionTimes#ANNOUNCED}, although no person has decided
   * about them.
   *
   * @param first the time until the first of them is removed
   */
  public record Expiring(String destination, Count count, Duration first) {}

  /**
   * What is kept longer than configured.
   *
   * @param lag how long the newest message of the oldest leaf has been due for removal; zero if
   *     none is due
   * @param blockedBy the destinations that have not passed the leaf, or {@code archive}. If empty,
   *     the next purge empties the leaf, or an open transaction uses it
   */
  public record Retention(Duration lag, List<String> blockedBy) {}
}
