package io.posthorn.console.message;

import io.posthorn.api.mask.PayloadView;
import io.posthorn.console.page.Badge;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Step;
import io.posthorn.console.text.Words;
import io.posthorn.core.inbox.Receipt;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageState;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.store.MessageStory;
import io.posthorn.core.store.MessageStory.Attempt;
import io.posthorn.core.store.MessageStory.DeliveryStory;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The story of a message: what happened when, and how it stands with each destination. */
public final class Timeline {
  private final MessageStory story;
  private final List<Receipt> receipts;
  private final List<DeadLetter> letters;
  private final PayloadView view;
  private final Links links;

  Timeline(
      MessageStory story,
      List<Receipt> receipts,
      List<DeadLetter> letters,
      PayloadView view,
      Links links) {
    this.story = story;
    this.receipts = receipts;
    this.letters = letters;
    this.view = view;
    this.links = links;
  }

  /**
   * One event.
   *
   * @param at when; null for what has not happened yet
   */
  public record Event(
      @Nullable Instant at,
      String kind,
      String icon,
      String destination,
      String what,
      @Nullable String why,
      @Nullable String href) {}

  /** How it stands with one destination. */
  public record Delivery(
      String destination,
      Badge badge,
      @Nullable String why,
      @Nullable Instant at,
      String when,
      List<Step> steps) {}

  String sentence() {
    if (story.deliveries().isEmpty()) {
      return "No destination has a route for its type.";
    }
    Map<MessageState, List<String>> by =
        story.deliveries().stream()
            .collect(
                Collectors.groupingBy(
                    DeliveryStory::state,
                    java.util.TreeMap::new,
                    Collectors.mapping(
                        one -> Words.text(one.destination(), 40), Collectors.toList())));
    if (by.keySet().equals(java.util.Set.of(MessageState.SENT))) {
      int count = story.deliveries().size();
      return count == 1
          ? "Sent to " + story.deliveries().get(0).destination() + "."
          : "Sent to all %d destinations.".formatted(count);
    }
    List<String> parts = new ArrayList<>();
    for (MessageState state :
        List.of(
            MessageState.DEAD,
            MessageState.FAILED,
            MessageState.PENDING,
            MessageState.IN_FLIGHT,
            MessageState.DISCARDED,
            MessageState.SENT)) {
      List<String> names = by.get(state);
      if (names != null) {
        parts.add(word(state) + " " + list(names));
      }
    }
    String text = String.join("; ", parts);
    return Character.toUpperCase(text.charAt(0)) + text.substring(1) + ".";
  }

  private static String list(List<String> names) {
    return names.size() <= 4
        ? String.join(", ", names)
        : String.join(", ", names.subList(0, 3)) + " and " + (names.size() - 3) + " others";
  }

  private static String word(MessageState state) {
    return switch (state) {
      case DEAD -> "dead at";
      case FAILED -> "failed at";
      case PENDING -> "waits for";
      case IN_FLIGHT -> "in flight to";
      case DISCARDED -> "discarded at";
      case SENT -> "sent to";
    };
  }

  List<Event> events() {
    List<Event> events = new ArrayList<>();
    Message message = story.message();
    events.add(new Event(story.recordedAt(), "", "written", "", written(message), null, null));
    for (DeliveryStory delivery : story.deliveries()) {
      for (Attempt attempt : delivery.history()) {
        events.add(attempt(delivery, attempt));
      }
      if (delivery.sentAt() != null) {
        Duration took = Duration.between(story.recordedAt(), delivery.sentAt());
        events.add(
            new Event(
                delivery.sentAt(),
                "good",
                "good",
                delivery.destination(),
                "sent, %s after it was written".formatted(Words.duration(took)),
                null,
                null));
      }
    }
    for (DeadLetter letter : letters) {
      letter(letter, events);
    }
    for (Receipt receipt : receipts) {
      Instant at = receipt.handledAt() == null ? receipt.receivedAt() : receipt.handledAt();
      events.add(
          new Event(
              at,
              "good",
              "good",
              receipt.consumer(),
              receipt.handledAt() == null
                  ? "received by this consumer"
                  : "handled by this consumer",
              null,
              null));
    }
    events.sort(
        Comparator.comparing(one -> java.util.Objects.requireNonNullElse(one.at(), Instant.MAX)));
    for (DeliveryStory delivery : story.deliveries()) {
      waits(delivery, events);
    }
    return events;
  }

  private String written(Message message) {
    String source = view.headers(message).get("source");
    return "written" + (source == null ? "" : " by " + Words.text(source, 60));
  }

  private Event attempt(DeliveryStory delivery, Attempt attempt) {
    String reason = attempt.reason() == null ? "" : ": " + Words.text(attempt.reason(), 60);
    return new Event(
        attempt.at(),
        "trouble",
        "retry",
        delivery.destination(),
        "attempt %d %s%s"
            .formatted(
                attempt.number(),
                Words.text(attempt.outcome()).toLowerCase(java.util.Locale.ROOT).replace('_', ' '),
                reason),
        view.error(attempt.error(), story.message(), story.cipherKey()),
        null);
  }

  private void letter(DeadLetter letter, List<Event> events) {
    events.add(
        new Event(
            letter.createdAt(),
            "dead",
            "dead",
            letter.destination(),
            "became a dead letter after %s (%s)"
                .formatted(Words.of(letter.attempts(), "attempt"), letter.reason()),
            null,
            links.letter(letter.id())));
    if (letter.requeuedAt() != null) {
      events.add(
          new Event(
              letter.requeuedAt(),
              "waiting",
              "flight",
              letter.destination(),
              letter.state() == DeadLetter.State.SENT
                  ? "sent once by a person"
                  : "requeued by a person",
              letter.requeuedAs() == null || letter.requeuedAs().equals(letter.messageId())
                  ? null
                  : "under the new id " + letter.requeuedAs(),
              links.letter(letter.id())));
    }
  }

  private void waits(DeliveryStory delivery, List<Event> events) {
    if (delivery.state() == MessageState.PENDING
        || delivery.state() == MessageState.FAILED
        || delivery.state() == MessageState.IN_FLIGHT) {
      events.add(
          new Event(
              null,
              Badge.of(delivery.state()).kind(),
              "waiting",
              delivery.destination(),
              waitsFor(delivery),
              null,
              links.destination(delivery.destination())));
    }
  }

  private static String waitsFor(DeliveryStory delivery) {
    if (delivery.state() == MessageState.IN_FLIGHT) {
      return "in flight now";
    }
    Waiting waiting = delivery.waiting();
    if (waiting == null) {
      return "waits for its turn in the log";
    }
    String next =
        delivery.nextAttemptAt() == null ? "" : ", " + Words.ago(delivery.nextAttemptAt());
    return switch (waiting) {
      case RETRY -> "waits for its next attempt" + next;
      case TURN, BEHIND -> "waits behind an older message of its key";
      case TIME -> "waits for its time" + next;
      case CODE -> "waits for a relay with the code for its type";
      case ROUTE -> "waits for a route";
      case PAUSED -> "waits for a person to resume its type";
      case ANSWER -> "waits for a slow answer";
    };
  }

  List<Delivery> deliveries() {
    return story.deliveries().stream().map(this::delivery).toList();
  }

  private Delivery delivery(DeliveryStory one) {
    String why =
        one.state() == MessageState.SENT
            ? null
            : view.error(one.lastError(), story.message(), story.cipherKey());
    String reason = one.deadReason() == null ? "" : one.deadReason();
    List<Step> steps = new ArrayList<>();
    if (one.state() == MessageState.SENT) {
      steps.add(
          Step.act(
              "Send again",
              links.act(
                  "resend",
                  Map.of("destination", one.destination(), "message", story.message().id()))));
    }
    letters.stream()
        .filter(letter -> letter.destination().equals(one.destination()))
        .filter(letter -> letter.state() == DeadLetter.State.DEAD)
        .findFirst()
        .ifPresent(letter -> steps.add(Step.open("Open the letter", links.letter(letter.id()))));
    if (one.waiting() != null && one.state() != MessageState.DEAD) {
      steps.add(
          Step.act(
              "Skip",
              links.act(
                  "skip",
                  Map.of("destination", one.destination(), "message", story.message().id()))));
    }
    Instant at = one.sentAt() != null ? one.sentAt() : one.nextAttemptAt();
    return new Delivery(
        one.destination(),
        Badge.of(one.state()),
        why == null
            ? (reason.isEmpty() ? null : reason)
            : (reason.isEmpty() ? "" : reason + ": ") + why,
        at,
        one.sentAt() != null ? "" : at == null ? "" : "next attempt ",
        steps);
  }
}
