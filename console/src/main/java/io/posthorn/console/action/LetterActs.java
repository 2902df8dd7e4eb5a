package io.posthorn.console.action;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.api.access.Right;
import io.posthorn.api.mask.ShownPayload;
import io.posthorn.console.text.Diff;
import io.posthorn.console.text.Json;
import io.posthorn.console.text.Visible;
import io.posthorn.console.text.Words;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterDetail;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.deadletter.RequeuePreview;
import io.posthorn.core.operate.deadletter.Rescued;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The rescues of one dead letter. */
final class LetterActs {
  private LetterActs() {}

  static List<Act> all() {
    return List.of(new RequeueOne(), new SendOnce(), new Discard(), new Correct());
  }

  private static DeadLetterDetail detail(Asked asked) {
    UUID id = asked.id("letter");
    return asked
        .database()
        .deadLetters()
        .find(id)
        .orElseThrow(
            () ->
                new PosthornException(
                    ErrorCode.NOT_FOUND, "there is no dead letter %s.".formatted(id)));
  }

  private static Proposal proposal(DeadLetterDetail detail, String title, String button) {
    UUID id = detail.letter().id();
    Proposal proposal =
        Proposal.of(title + " " + Words.id(id), button).hidden("letter", id.toString());
    if (detail.letter().state() != DeadLetter.State.DEAD) {
      proposal.impossible(
          "Somebody has decided about this letter already: it is %s."
              .formatted(Words.word(detail.letter().state())));
    }
    return proposal;
  }

  private static void order(DeadLetterDetail detail, Proposal proposal) {
    long younger = detail.youngerOut();
    if (younger > 0) {
      proposal.warn(
          "%s of its key %s already delivered. The receiver sees this one later."
              .formatted(Words.of(younger, "younger message"), younger == 1 ? "was" : "were"));
    }
  }

  private static void problems(
      Asked asked, DeadLetterDetail detail, Requeue how, Proposal proposal) {
    Optional<RequeuePreview> preview =
        asked.database().deadLetters().preview(detail.letter().id(), how);
    preview.ifPresent(
        one ->
            one.problems()
                .forEach(
                    problem ->
                        proposal.warn(
                            "The payload: "
                                + Words.text(
                                    asked.view().error(problem, detail.letter().type()), 400))));
  }

  private static Done done(Asked asked, Rescued rescued, String said) {
    UUID id = asked.id("letter");
    String why = rescued.refused().get(id);
    if (why != null || rescued.done() == 0) {
      throw new PosthornException(
          ErrorCode.CONFLICT,
          "dead letter %s was left as it is: %s."
              .formatted(
                  Words.id(id),
                  why == null
                      ? "somebody has decided about it meanwhile"
                      : asked.view().anyText(why)));
    }
    return Done.said(said).at(asked.links().letter(id));
  }

  private static final class RequeueOne implements Act {
    @Override
    public String name() {
      return "requeue";
    }

    @Override
    public Proposal propose(Asked asked) {
      DeadLetterDetail detail = detail(asked);
      String to = Words.text(detail.letter().destination(), 60);
      Proposal proposal =
          proposal(detail, "Requeue dead letter", "Requeue 1 letter")
              .will(
                  "Sends its message to %s, with all attempts, before all waiting messages of its key."
                      .formatted(to));
      order(detail, proposal);
      problems(asked, detail, Requeue.SAME, proposal);
      proposal.field(
          "tick",
          "newid",
          "Under a new id",
          asked.value("newid"),
          "The receiver then handles it even if it has handled the old one.");
      return proposal.like(
          "posthorn dead requeue %s%s --why TEXT"
              .formatted(detail.letter().id(), asked.ticked("newid") ? " --new-id" : ""),
          "POST /api/v1/databases/%s/dead-letters/%s/requeue"
              .formatted(asked.database().name(), detail.letter().id()));
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      Requeue how = asked.ticked("newid") ? Requeue.SAME.withNewId() : Requeue.SAME;
      return done(
          asked,
          asked.database().deadLetters().requeue(List.of(asked.id("letter")), how, by),
          "The letter is requeued. Its page shows what comes of it.");
    }
  }

  private static final class SendOnce implements Act {
    @Override
    public String name() {
      return "send-once";
    }

    @Override
    public Proposal propose(Asked asked) {
      DeadLetterDetail detail = detail(asked);
      Proposal proposal =
          proposal(detail, "Send once dead letter", "Send it once")
              .will(
                  "%s gets one attempt. If it fails, the message is a dead letter again at once."
                      .formatted(Words.text(detail.letter().destination(), 60)));
      order(detail, proposal);
      problems(asked, detail, Requeue.ONCE, proposal);
      return proposal.like(
          "posthorn dead send %s --why TEXT".formatted(detail.letter().id()),
          "POST /api/v1/databases/%s/dead-letters/%s/send-once"
              .formatted(asked.database().name(), detail.letter().id()));
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      return done(
          asked,
          asked.database().deadLetters().sendOnce(List.of(asked.id("letter")), by),
          "The letter is sent once. Its page shows what comes of it.");
    }
  }

  private static final class Discard implements Act {
    @Override
    public String name() {
      return "discard";
    }

    @Override
    public Proposal propose(Asked asked) {
      DeadLetterDetail detail = detail(asked);
      return proposal(detail, "Discard dead letter", "Discard 1 letter")
          .will(
              "%s never gets this message. If the letter held its key, the key continues."
                  .formatted(Words.text(detail.letter().destination(), 60)))
          .will("The letter is kept as evidence until its retention ends.")
          .warn("This cannot be undone.")
          .danger()
          .like(
              "posthorn dead discard %s --why TEXT".formatted(detail.letter().id()),
              "POST /api/v1/databases/%s/dead-letters/%s/discard"
                  .formatted(asked.database().name(), detail.letter().id()));
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      return done(
          asked,
          asked.database().deadLetters().discard(List.of(asked.id("letter")), by),
          "The letter is discarded.");
    }
  }

  /** Edit, compare, requeue. */
  private static final class Correct implements Act {
    @Override
    public String name() {
      return "correct";
    }

    private static String stored(Asked asked, DeadLetterDetail detail) {
      if (!asked.viewer().may(Right.READ_PAYLOADS)) {
        throw new PosthornException(
            ErrorCode.MISSING_RIGHTS,
            "nothing was changed: a payload can be corrected only by people who may read payloads.");
      }
      ShownPayload payload = asked.view().payload(detail.message(), detail.cipherKey());
      if (payload.masked() || payload.text() == null) {
        throw Asked.refused(
            payload.note() == null
                ? "the payload is not text in UTF-8. Use 'posthorn dead requeue --payload FILE'"
                : payload.note() + ", so it cannot be edited here");
      }
      return payload.text();
    }

    @Override
    public Proposal propose(Asked asked) {
      DeadLetterDetail detail = detail(asked);
      String stored = Json.laidOut(stored(asked, detail));
      String given =
          asked.parameters().containsKey("payload") ? lines(asked.value("payload")) : stored;
      Proposal proposal =
          proposal(detail, "Correct dead letter", "Requeue the corrected message").wide();
      boolean edits = !asked.value("step").equals("compare") && !asked.value("step").equals("do");
      if (edits) {
        return proposal
            .note(
                "Edit the payload. Nothing is sent yet: next you see what changes, and what the checks say.")
            .field("area", "payload", "Payload", given, "")
            .leadsTo("compare", "Compare");
      }
      proposal.hidden("payload", given);
      Requeue how = Requeue.SAME.withPayload(given.getBytes(UTF_8));
      if (given.equals(stored)) {
        proposal.warn("Nothing is different from the stored payload.");
      }
      proposal
          .will(
              "Sends the corrected message to %s, under its own id."
                  .formatted(Words.text(detail.letter().destination(), 60)))
          .will("The letter keeps the original and the corrected payload.");
      order(detail, proposal);
      problems(asked, detail, how, proposal);
      return proposal
          .diff(Diff.of(Visible.block(stored), Visible.block(given)))
          .like(
              "posthorn dead requeue %s --payload FILE --why TEXT".formatted(detail.letter().id()),
              "POST /api/v1/databases/%s/dead-letters/%s/requeue"
                  .formatted(asked.database().name(), detail.letter().id()));
    }

    /** Forms send CR LF. */
    private static String lines(String text) {
      return text.replace("\r\n", "\n");
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      stored(asked, detail(asked));
      Requeue how = Requeue.SAME.withPayload(lines(asked.value("payload")).getBytes(UTF_8));
      return done(
          asked,
          asked.database().deadLetters().requeue(List.of(asked.id("letter")), how, by),
          "The corrected message is requeued.");
    }
  }
}
