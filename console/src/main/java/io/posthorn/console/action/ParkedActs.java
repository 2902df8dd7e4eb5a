package io.posthorn.console.action;

import io.posthorn.console.page.Equivalent;
import io.posthorn.console.text.KeyText;
import io.posthorn.console.text.Times;
import io.posthorn.console.text.Words;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What can be done with parked messages, and sending one message again. */
final class ParkedActs {
  private ParkedActs() {}

  static List<Act> all() {
    return List.of(new Retry(), new Skip(), new Reschedule(), new Release(), new Resend());
  }

  private static @Nullable Key key(Asked asked) {
    String key = asked.orNull("key");
    return key == null ? null : KeyText.parse(key);
  }

  private static Proposal like(Proposal proposal, Asked asked, String command, String path) {
    for (String name : List.of("destination", "key", "message")) {
      proposal.hidden(name, asked.orNull(name));
    }
    return proposal.like(
        "posthorn parked %s --why TEXT".formatted(command),
        "POST /api/v1/databases/%s/destinations/%s/parked/%s"
            .formatted(asked.database().name(), Words.text(asked.value("destination")), path));
  }

  private static final class Retry implements Act {
    @Override
    public String name() {
      return "retry";
    }

    @Override
    public Proposal propose(Asked asked) {
      String destination = asked.required("destination");
      Key key = key(asked);
      String whose = key == null ? "" : " of " + Words.text(key, 80);
      return like(
          Proposal.of("Retry now" + whose, "Retry now")
              .will(
                  "Messages%s that wait for their next attempt at %s are tried at once."
                      .formatted(whose, Words.text(destination, 60)))
              .note("Their attempts count as usual. If the cause is not fixed, they fail again."),
          asked,
          "retry "
              + Equivalent.quoted(destination)
              + (key == null ? "" : " --key " + Equivalent.quoted(key.toString())),
          "retry");
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      int tried =
          asked.database().steering().retryNow(asked.required("destination"), key(asked), by);
      return Done.said(
          tried == 0
              ? "Nothing changed: no message waits for its next attempt."
              : Words.of(tried, "message is tried now.", "messages are tried now."));
    }
  }

  private static final class Skip implements Act {
    @Override
    public String name() {
      return "skip";
    }

    @Override
    public Proposal propose(Asked asked) {
      String destination = asked.required("destination");
      UUID message = asked.id("message");
      return like(
          Proposal.of("Skip message " + Words.id(message), "Skip this message")
              .will(
                  "%s never gets this message. Its key continues without it."
                      .formatted(Words.text(destination, 60)))
              .will("A discarded dead letter with the reason SKIPPED is kept as evidence.")
              .warn(
                  "This cannot be undone. If a relay is just sending the message, it may still arrive.")
              .danger(),
          asked,
          "skip %s %s".formatted(Equivalent.quoted(destination), message),
          message + "/skip");
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      asked.database().steering().skip(asked.required("destination"), asked.id("message"), by);
      return Done.said("Message %s is skipped.".formatted(Words.id(asked.id("message"))));
    }
  }

  private static final class Reschedule implements Act {
    @Override
    public String name() {
      return "reschedule";
    }

    @Override
    public Proposal propose(Asked asked) {
      String destination = asked.required("destination");
      UUID message = asked.id("message");
      return like(
          Proposal.of("Reschedule message " + Words.id(message), "Give it this time")
              .will(
                  "%s gets it at this time, not before. A time that is past means at once."
                      .formatted(Words.text(destination, 60)))
              .field(
                  "text",
                  "at",
                  "When",
                  asked.value("at"),
                  "From now, such as 2h, or a time such as 2026-01-31T10:00:00Z."),
          asked,
          "reschedule %s %s --in 2h".formatted(Equivalent.quoted(destination), message),
          message + "/reschedule");
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      Instant at = Times.ahead(asked.required("at"));
      asked
          .database()
          .steering()
          .reschedule(asked.required("destination"), asked.id("message"), at, by);
      return Done.said("Message %s is due at %s.".formatted(Words.id(asked.id("message")), at));
    }
  }

  private static final class Release implements Act {
    @Override
    public String name() {
      return "release";
    }

    @Override
    public Proposal propose(Asked asked) {
      String destination = asked.required("destination");
      Key key = KeyText.parse(asked.required("key"));
      return like(
          Proposal.of("Release key " + Words.text(key, 80), "Release this key")
              .will(
                  "The messages of this key that wait are delivered to %s."
                      .formatted(Words.text(destination, 60)))
              .warn(
                  "The dead letter that holds the key stays as it is: if you requeue it later, the receiver gets it after them."),
          asked,
          "release %s --key %s"
              .formatted(Equivalent.quoted(destination), Equivalent.quoted(key.toString())),
          "release");
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      boolean released =
          asked
              .database()
              .steering()
              .release(asked.required("destination"), KeyText.parse(asked.required("key")), by);
      return Done.said(
          released ? "The key continues." : "Nothing changed: no dead letter holds this key.");
    }
  }

  private static final class Resend implements Act {
    @Override
    public String name() {
      return "resend";
    }

    @Override
    public Proposal propose(Asked asked) {
      String destination = asked.required("destination");
      UUID message = asked.id("message");
      return Proposal.of("Send message %s again".formatted(Words.id(message)), "Send it again")
          .will(
              "Sends this message to %s once more, under the same id."
                  .formatted(Words.text(destination, 60)))
          .note(
              "A receiver that drops repeated ids drops it. It arrives after younger messages of its key.")
          .hidden("destination", destination)
          .hidden("message", message.toString())
          .like(
              "posthorn messages resend --destination %s --id %s --why TEXT"
                  .formatted(Equivalent.quoted(destination), message),
              "POST /api/v1/databases/%s/operations".formatted(asked.database().name()));
    }

    @Override
    public Done perform(Asked asked, Actor by) {
      Operation operation =
          asked
              .database()
              .operations()
              .start(
                  Plan.resend(
                      SentQuery.to(asked.required("destination"))
                          .only(List.of(asked.id("message")))),
                  by);
      return Done.said("It is being sent again.").at(asked.links().operation(operation.id()));
    }
  }
}
