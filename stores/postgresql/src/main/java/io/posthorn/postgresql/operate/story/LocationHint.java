package io.posthorn.postgresql.operate.story;

import io.posthorn.core.store.MessageStory;
import io.posthorn.core.store.MessageStory.DeliveryStory;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Sql;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Describes where a message is for a destination, for a person who looked for it in the wrong
 * place.
 */
public final class LocationHint {
  private static final Sql PARKED =
      Sql.of(
          "look for parked",
          """
          SELECT waiting
            FROM posthorn_parked
           WHERE destination = :destination
             AND message_id = :id
          """);

  private final Database database;

  public LocationHint(Database database) {
    this.database = database;
  }

  public Optional<String> find(String destination, UUID message) {
    List<String> parked =
        database.ask(
            "finding message " + message,
            PARKED,
            query ->
                query
                    .set("destination", destination)
                    .set("id", message)
                    .rows(row -> row.getString("waiting")));
    if (!parked.isEmpty()) {
      return Optional.of("It is parked and waits for " + parked.get(0));
    }
    return new MessageFinder(database).find(message).map(story -> find(destination, story));
  }

  private static String find(String destination, MessageStory story) {
    List<String> others = story.deliveries().stream().map(DeliveryStory::destination).toList();
    return story.deliveries().stream()
        .filter(delivery -> delivery.destination().equals(destination))
        .findFirst()
        .map(LocationHint::words)
        .orElse(
            others.isEmpty()
                ? "No destination wants it"
                : "It goes to other destinations: " + String.join(", ", others));
  }

  private static String words(DeliveryStory delivery) {
    return switch (delivery.state()) {
      case PENDING ->
          "It is PENDING: it is still in the log, and no relay has read it yet; try again later";
      case IN_FLIGHT -> "It is IN_FLIGHT: a relay is sending it";
      case SENT -> "It is SENT" + (delivery.sentAt() == null ? "" : ", at " + delivery.sentAt());
      case DEAD -> "It is DEAD (" + delivery.deadReason() + "): see its dead letter";
      case FAILED, DISCARDED -> "It is " + delivery.state();
    };
  }
}
