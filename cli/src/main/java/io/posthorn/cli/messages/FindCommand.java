package io.posthorn.cli.messages;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Ids;
import io.posthorn.cli.database.ShownHeaders;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.cli.inbox.Receipts;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.inbox.Receipt;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.id.IdPrefix;
import io.posthorn.core.operate.story.Messages;
import io.posthorn.core.store.MessageStory;
import io.posthorn.core.store.MessageStory.Attempt;
import io.posthorn.core.store.MessageStory.DeliveryStory;
import io.posthorn.core.store.MessageStory.Neighbour;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows one message and everything that happened to it. */
@Command(
    name = "find",
    description =
        "Show one message: its state at each destination, every attempt, and which consumers received it.")
final class FindCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(
      paramLabel = "ID",
      description =
          "Id of the message, or its first digits. For a message known only by its receipts, the whole id.")
  private IdPrefix prefix = IdPrefix.of("0000");

  @Option(names = "--payload", description = "Show the payload too; it may contain personal data.")
  private boolean payload;

  @Override
  public void run() {
    OperatorStore store = where.store();
    UUID id = Ids.ofMessages(store).whole(prefix);
    List<Receipt> receipts = Inbox.on(store).find(Inbox.ALL_CONSUMERS, id);
    Messages.on(store)
        .find(id)
        .ifPresentOrElse(story -> print(story, receipts), () -> print(id, receipts));
  }

  /** Prints a message that is known only by its receipts: a handled message is not stored. */
  private void print(UUID id, List<Receipt> receipts) {
    if (receipts.isEmpty()) {
      throw new CommandFailed(
          "there is no message %s: it was never committed, it was removed after its retention, or this is the id of a dead letter (try 'posthorn dead show %s')"
              .formatted(id, id),
          null);
    }
    answer.value(StoryJson.received(id, receipts));
    answer.say("message      " + id + "  was received; only its receipts are kept");
    received(receipts);
  }

  private void print(MessageStory story, List<Receipt> receipts) {
    answer.value(StoryJson.story(story, receipts, payload));
    head(story);
    answer.say("");
    if (story.deliveries().isEmpty()) {
      answer.say("no destination has a route for it");
    } else {
      answer.table(
          List.of("destination", "state", "when", "attempts", "waits for", "error"),
          story.deliveries().stream().map(FindCommand::row).toList());
    }
    attempts(story);
    received(receipts);
    answer.say("");
    answer.say(payload ? text(story) : hidden(story.message()));
  }

  private void received(List<Receipt> receipts) {
    if (!receipts.isEmpty()) {
      answer.say("");
      Receipts.table(answer, receipts);
    }
  }

  private void head(MessageStory story) {
    Message message = story.message();
    answer.say("message      " + message.id() + "  " + message.type());
    Key key = message.key();
    if (key != null) {
      answer.say("key          " + key);
    }
    answer.say("occurred     " + Answer.time(message.occurredAt()));
    answer.say(
        "recorded     %s, %s, sequence number %,d"
            .formatted(
                Answer.time(story.recordedAt()), Answer.ago(story.recordedAt()), story.seq()));
    if (message.notBefore() != null) {
      answer.say("not before   " + Answer.time(message.notBefore()));
    }
    if (story.requeuedFrom() != null) {
      answer.say("requeued     from message " + story.requeuedFrom());
    }
    neighbour("before it", story.before());
    neighbour("after it", story.after());
    ShownHeaders.of(message, payload)
        .forEach((name, value) -> answer.say("header       " + name + ": " + value));
  }

  private void neighbour(String side, @Nullable Neighbour neighbour) {
    if (neighbour != null) {
      answer.say(
          "%-12s %s  %s, %s"
              .formatted(
                  side, neighbour.id(), neighbour.type(), Answer.time(neighbour.recordedAt())));
    }
  }

  private static List<String> row(DeliveryStory delivery) {
    String as = delivery.requeuedAs() == null ? "" : " as " + delivery.requeuedAs();
    return List.of(
        delivery.destination(),
        delivery.state() + as,
        when(delivery),
        Integer.toString(delivery.attempts()),
        delivery.waiting() == null ? "" : delivery.waiting().name(),
        error(delivery));
  }

  private static String when(DeliveryStory delivery) {
    if (delivery.sentAt() != null) {
      return Answer.time(delivery.sentAt());
    }
    if (delivery.nextAttemptAt() != null) {
      return "next " + Answer.time(delivery.nextAttemptAt());
    }
    return delivery.lockedUntil() == null ? "" : "until " + Answer.time(delivery.lockedUntil());
  }

  private static String error(DeliveryStory delivery) {
    String reason = delivery.deadReason() == null ? "" : delivery.deadReason() + ": ";
    return delivery.lastError() == null ? "" : reason + delivery.lastError();
  }

  private void attempts(MessageStory story) {
    List<List<String>> rows = new ArrayList<>();
    for (DeliveryStory delivery : story.deliveries()) {
      for (Attempt attempt : delivery.history()) {
        rows.add(
            List.of(
                delivery.destination(),
                Integer.toString(attempt.number()),
                Answer.time(attempt.at()),
                attempt.outcome(),
                attempt.reason() == null ? "" : attempt.reason(),
                attempt.error() == null ? "" : attempt.error()));
      }
    }
    if (!rows.isEmpty()) {
      answer.say("");
      answer.table(List.of("destination", "attempt", "at", "outcome", "reason", "error"), rows);
    }
  }

  private static String text(MessageStory story) {
    return story.cipherKey() == null
        ? new String(story.message().payload(), UTF_8)
        : "encrypted with key " + story.cipherKey();
  }

  private static String hidden(Message message) {
    return "%s of %s; --payload shows them"
        .formatted(Count.exactly(message.payload().length).of("byte"), message.contentType());
  }
}
