package io.posthorn.crashtests;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What must be true besides the oracle's verdict: of dead, held and scheduled messages. */
final class Checks {
  private static final String DEAD_TWICE =
      """
      SELECT destination || ' ' || message_id
        FROM posthorn_dead
       GROUP BY destination, message_id
      HAVING count(*) > 1
      """;

  private static final String DEAD_AND_PARKED =
      """
      SELECT destination || ' ' || message_id
        FROM posthorn_dead
        JOIN posthorn_parked USING (destination, message_id)
      """;

  private static final String NEVER_WOKEN =
      """
      SELECT p.destination || ' ' || p.message_id || ' ' || p.waiting
        FROM posthorn_parked p
       WHERE p.destination <> 'unrouted'
         AND NOT EXISTS (SELECT 1
                           FROM posthorn_held h
                          WHERE h.destination = p.destination
                            AND h.key = p.key)
      """;

  private static final String PLACES =
      """
      SELECT id || ' ' || seq || ' ' || key
        FROM posthorn_log
       WHERE key IS NOT NULL
         AND not_before IS NULL
      """;

  private static final String HELD =
      """
      SELECT destination || ' ' || key
        FROM posthorn_held
      """;

  /** In milliseconds: one is read through another, and both are rounded. */
  private static final long CLOCKS_DIFFER = 5;

  private record Place(long seq, String key) {}

  private final Query query;
  private final Journal journal;

  Checks(Query query, Journal journal) {
    this.query = query;
    this.journal = journal;
  }

  List<String> wrongs(Set<String> destinations) {
    List<String> wrongs = new ArrayList<>();
    destinations.forEach(destination -> wrongs.addAll(order(destination)));
    query.texts(DEAD_TWICE).forEach(row -> wrongs.add("two dead letters: " + row));
    query.texts(DEAD_AND_PARKED).forEach(row -> wrongs.add("dead and parked: " + row));
    Set<String> held = Set.copyOf(query.texts(HELD));
    journal.deliveries().filter(Journal.Line::arrived).forEach(line -> check(line, held, wrongs));
    return wrongs;
  }

  /**
   * Messages that arrived for the first time after a later one of their key. It looks at ids, where
   * the oracle looks at numbers, which are given out again if a server lost its last transactions.
   */
  List<String> order(String destination) {
    Map<String, Place> places = new HashMap<>();
    for (String row : query.texts(PLACES)) {
      String[] parts = row.split(" ", 3);
      places.put(parts[0], new Place(Long.parseLong(parts[1]), parts[2]));
    }
    List<String> wrongs = new ArrayList<>();
    Map<String, Long> highest = new HashMap<>();
    journal
        .deliveries()
        .filter(line -> line.destination().equals(destination) && line.arrived())
        .forEach(
            line -> {
              // Once is enough: only its first arrival counts.
              Place place = places.remove(line.messageId());
              if (place != null && highest.merge(place.key, place.seq, Math::max) > place.seq) {
                wrongs.add("reordered: " + line);
              }
            });
    return wrongs;
  }

  /** Parked messages that nothing holds back; none are left once the last settle is made. */
  List<String> stillParked() {
    return query.texts(NEVER_WOKEN);
  }

  private static void check(Journal.Line line, Set<String> held, List<String> wrongs) {
    long n = Keys.number(line.content());
    String key = line.content().substring(0, Math.max(0, line.content().lastIndexOf(' ')));
    if (held.contains(line.destination() + " " + key) && n > 3) {
      wrongs.add("delivered behind a dead one that holds: " + line);
    }
    if (line.content().startsWith(Traffic.SCHEDULED) && line.millis() < n - CLOCKS_DIFFER) {
      wrongs.add("delivered " + (n - line.millis()) + " ms early: " + line);
    }
  }
}
