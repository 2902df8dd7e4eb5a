package io.posthorn.console.action;

import io.posthorn.console.page.Equivalent;
import io.posthorn.console.text.Words;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.CauseNote;
import io.posthorn.core.operate.operation.Operation;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Stop and resume operations, and write notes to causes. */
final class OperationActs {
  private OperationActs() {}

  static List<Act> all() {
    return List.of(new Stop(), new GoOn(), new Note());
  }

  private static Operation operation(Asked asked) {
    UUID id = asked.id("operation");
    return asked
        .database()
        .operations()
        .find(id)
        .orElseThrow(
            () ->
                new PosthornException(
                    ErrorCode.NOT_FOUND, "there is no operation %s.".formatted(id)));
  }

  private static final class Stop implements Act {
    @Override
    public String name() {
      return "stop";
    }

    @Override
    public Proposal propose(Asked asked) {
      Operation operation = operation(asked);
      Proposal proposal =
          Proposal.of("Stop operation " + Words.id(operation.id()), "Stop it")
              .will(
                  "It queues no more. %s already queued are still delivered."
                      .formatted(Words.of(operation.underWay(), "message")))
              .will("You can resume it where it stopped.")
              .hidden("operation", operation.id().toString())
              .danger();
      if (operation.state() != Operation.State.RUNNING) {
        proposal.impossible("It does not run: it is %s.".formatted(Words.word(operation.state())));
      }
      return proposal.like(
          "posthorn operations stop %s --why TEXT".formatted(operation.id()),
          "POST /api/v1/databases/%s/operations/%s/stop"
              .formatted(asked.database().name(), operation.id()));
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      Operation operation = asked.database().operations().stop(asked.id("operation"), by);
      return Done.said("The operation is stopped.")
          .at(asked.links().operation(operation.id()))
          .undoneBy(asked.links().act("go-on", "operation", operation.id()));
    }
  }

  private static final class GoOn implements Act {
    @Override
    public String name() {
      return "go-on";
    }

    @Override
    public Proposal propose(Asked asked) {
      Operation operation = operation(asked);
      long left = operation.total() - operation.done() - operation.refused();
      Proposal proposal =
          Proposal.of("Resume operation " + Words.id(operation.id()), "Resume it")
              .will(
                  "It continues where it stopped. %s to do."
                      .formatted(Words.of(left, "message is left", "messages are left")))
              .note("Failures from before no longer count for its automatic stop.")
              .hidden("operation", operation.id().toString());
      if (operation.state() != Operation.State.STOPPED) {
        proposal.impossible(
            "It is not stopped: it is %s.".formatted(Words.word(operation.state())));
      }
      return proposal.like(
          "posthorn operations resume %s --why TEXT".formatted(operation.id()),
          "POST /api/v1/databases/%s/operations/%s/resume"
              .formatted(asked.database().name(), operation.id()));
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      Operation operation = asked.database().operations().resume(asked.id("operation"), by);
      return Done.said("The operation runs again.")
          .at(asked.links().operation(operation.id()))
          .undoneBy(asked.links().act("stop", "operation", operation.id()));
    }
  }

  private static final class Note implements Act {
    @Override
    public String name() {
      return "note";
    }

    @Override
    public Proposal propose(Asked asked) {
      String cause = asked.required("cause");
      CauseNote note = asked.database().deadLetters().noteOf(cause).orElse(null);
      return Proposal.of("Owner and note of cause " + Words.text(cause, 20), "Write the note")
          .note(
              "The note is kept when the letters are gone, and shown again when the cause comes back.")
          .field("text", "owner", "Owner", owner(asked, note), "A person or a team.")
          .field(
              "area-small",
              "note",
              "Note",
              text(asked, note),
              "What is known, and a ticket. Do not copy payloads here.")
          .hidden("cause", cause)
          .like(
              "posthorn dead note %s --note TEXT --owner TEAM --why TEXT"
                  .formatted(Equivalent.quoted(cause)),
              "PUT /api/v1/databases/%s/dead-letters/causes/%s/note"
                  .formatted(asked.database().name(), cause));
    }

    private static String owner(Asked asked, @Nullable CauseNote note) {
      if (asked.parameters().containsKey("owner") || note == null || note.owner() == null) {
        return asked.value("owner");
      }
      return note.owner();
    }

    private static String text(Asked asked, @Nullable CauseNote note) {
      if (asked.parameters().containsKey("note") || note == null || note.note() == null) {
        return asked.value("note");
      }
      return note.note();
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      String cause = asked.required("cause");
      asked
          .database()
          .deadLetters()
          .note(cause, asked.value("note").strip(), asked.value("owner").strip(), by);
      return Done.said("The note is written.").at(asked.links().cause(cause));
    }
  }
}
