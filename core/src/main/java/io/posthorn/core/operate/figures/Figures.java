package io.posthorn.core.operate.figures;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The whole database in figures.
 *
 * @param destinations all of them, also the built-in one for what no route wants
 * @param relays how many live ones there are
 * @param letters dead letters that wait for a person, by destination, type and reason
 * @param rescues what came of dead letters that were requeued, by outcome
 * @param expiring dead letters that wait for a person and will be removed soon
 * @param retention what is kept for longer than it should be
 */
public record Figures(
    List<DestinationFigures> destinations,
    long relays,
    List<Letters> letters,
    List<Rescues> rescues,
    List<Expiring> expiring,
    Retention retention) {

  /**
   * How many; if there are too many to count, about how many.
   *
   * @param estimated it is taken from a part of them
   */
  public record Count(long number, boolean estimated) {
    public static Count exactly(long number) {
      return new Count(number, false);
    }

    /** As people say it: {@code 1 message}, {@code about 20,000 messages}. */
    public String of(String one) {
      return of(one, one + "s");
    }

    /** For words whose plural is not like that: {@code 2 leaves}. */
    public String of(String one, String many) {
      return String.format(
          Locale.ROOT, "%s%,d %s", estimated ? "about " : "", number, number == 1 ? one : many);
    }

    public Count plus(Count other) {
      return new Count(number + other.number, estimated || other.estimated);
    }
  }

  /**
   * Dead letters that wait for a person.
   *
   * @param reason of the last attempt
   */
  public record Letters(String destination, String type, String reason, Count count) {}

  /**
   * Dead letters that were requeued.
   *
   * @param outcome SENT, DEAD (again), or WAITING
   */
  public record Rescues(String outcome, Count count) {}

  /**
   * Dead letters of a destination that will be removed within {@link
   * io.posthorn.core.operate.retention.RetentionTimes#ANNOUNCED}, though nobody has done anything
   * about them.
   *
   * @param first until the first of them goes
   */
  public record Expiring(String destination, Count count, Duration first) {}

  /**
   * What is kept for longer than it should be.
   *
   * @param lag for how long the newest message of the oldest leaf has been due; zero if none is
   * @param blockedBy the destinations that have not passed the leaf, or {@code archive}; none = the
   *     next purge empties it, or an open transaction uses it
   */
  public record Retention(Duration lag, List<String> blockedBy) {}
}
