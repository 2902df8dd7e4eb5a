package io.posthorn.cli.dead;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Ids;
import io.posthorn.cli.database.ShownHeaders;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.deadletter.CauseNote;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterDetail;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.id.IdPrefix;
import io.posthorn.core.store.MessageStory.Attempt;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows one dead letter with everything known about it. */
@Command(
    name = "show",
    description = "Show one dead letter: its message, its error and every attempt.")
final class ShowCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(
      paramLabel = "LETTER",
      description = "Id of the dead letter, as 'dead list' shows it, or its first digits.")
  private IdPrefix id = IdPrefix.of("0000");

  @Option(names = "--payload", description = "Show the payload too; it may contain personal data.")
  private boolean payload;

  @Override
  public void run() {
    OperatorStore store = where.store();
    DeadLetters letters = DeadLetters.on(store);
    UUID whole = Ids.ofLetters(store).whole(id);
    DeadLetterDetail detail =
        letters
            .find(whole)
            .orElseThrow(
                () ->
                    new CommandFailed(
                        "there is no dead letter %s. If this is the id of a message, try 'posthorn dead list --message %s'"
                            .formatted(whole, whole),
                        null));
    answer.value(json(detail));
    DeadLetter letter = detail.letter();
    answer.field("letter", letter.id().toString());
    answer.field("message", letter.messageId() + "  " + letter.type());
    if (letter.key() != null) {
      answer.field("key", letter.key().toString());
    }
    answer.field("destination", letter.destination());
    answer.field("state", state(letter));
    answer.field(
        "dead since", Answer.time(letter.createdAt()) + ", " + Answer.ago(letter.createdAt()));
    answer.field("reason", letter.reason() + " (" + letter.lastReason() + ")");
    answer.field("error", letter.error());
    answer.field("cause", letter.fingerprint());
    letters.noteOf(letter.fingerprint()).ifPresent(this::say);
    if (detail.youngerOut() > 0) {
      answer.field(
          "order",
          Count.exactly(detail.youngerOut())
              .of(
                  "younger message of its key already went out; if requeued, this one arrives after it",
                  "younger messages of its key already went out; if requeued, this one arrives after them"));
    }
    ShownHeaders.of(detail.message(), payload)
        .forEach((name, value) -> answer.field("header", name + ": " + value));
    answer.say("");
    answer.table(
        List.of("attempt", "at", "outcome", "reason", "error"),
        detail.history().stream().map(ShowCommand::row).toList());
    if (detail.stack() != null) {
      answer.say("");
      answer.say(detail.stack());
    }
    answer.say("");
    say(detail);
  }

  private void say(DeadLetterDetail detail) {
    Message corrected = detail.corrected();
    if (!payload) {
      answer.say(
          "%s of %s%s; --payload shows them"
              .formatted(
                  Count.exactly(detail.letter().payloadBytes()).of("byte"),
                  detail.message().contentType(),
                  corrected == null
                      ? ""
                      : ", corrected to " + Count.exactly(corrected.payload().length).of("byte")));
      return;
    }
    answer.say(text(detail, detail.message()));
    if (corrected != null) {
      answer.say("");
      answer.say("corrected to:");
      answer.say(text(detail, corrected));
    }
  }

  private void say(CauseNote note) {
    if (note.owner() != null) {
      answer.field("owner", note.owner());
    }
    if (note.note() != null) {
      answer.field("note", note.note() + " (" + note.who() + ")");
    }
  }

  private static String state(DeadLetter letter) {
    if (letter.requeuedAt() == null) {
      return letter.state().name();
    }
    return letter.state() + " at " + Answer.time(letter.requeuedAt()) + ", " + outcome(letter);
  }

  private static String outcome(DeadLetter letter) {
    if (letter.outcome() == null) {
      return "on its way";
    }
    return switch (letter.outcome()) {
      case SENT -> "then sent";
      case SKIPPED_STALE -> "then skipped, because a younger message of its key had been handled";
      case DEAD -> "then dead again";
    };
  }

  private static List<String> row(Attempt attempt) {
    return List.of(
        Integer.toString(attempt.number()),
        Answer.time(attempt.at()),
        attempt.outcome(),
        attempt.reason() == null ? "" : attempt.reason(),
        attempt.error() == null ? "" : attempt.error());
  }

  private static String text(DeadLetterDetail detail, Message message) {
    return detail.cipherKey() == null
        ? new String(message.payload(), UTF_8)
        : "encrypted with key " + detail.cipherKey();
  }

  private Map<String, Object> json(DeadLetterDetail detail) {
    Map<String, Object> map = new LinkedHashMap<>(Letters.json(detail.letter()));
    map.put("headers", ShownHeaders.of(detail.message(), payload));
    map.put("content_type", detail.message().contentType());
    map.put("younger_out", detail.youngerOut());
    if (detail.stack() != null) {
      map.put("stack", detail.stack());
    }
    List<Map<String, Object>> attempts = new ArrayList<>();
    for (Attempt attempt : detail.history()) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("attempt", attempt.number());
      one.put("at", attempt.at().toString());
      one.put("outcome", attempt.outcome());
      if (attempt.reason() != null) {
        one.put("reason", attempt.reason());
      }
      if (attempt.error() != null) {
        one.put("error", attempt.error());
      }
      attempts.add(one);
    }
    map.put("history", attempts);
    if (payload) {
      map.put("payload_base64", Base64.getEncoder().encodeToString(detail.message().payload()));
      if (detail.corrected() != null) {
        map.put(
            "corrected_base64", Base64.getEncoder().encodeToString(detail.corrected().payload()));
      }
    }
    return map;
  }
}
