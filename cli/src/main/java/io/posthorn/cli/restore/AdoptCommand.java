package io.posthorn.cli.restore;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Consent;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Adoption;
import io.posthorn.core.operate.restore.Adoption.Share;
import io.posthorn.core.operate.restore.Restore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Assigns a restored or copied database to an environment. */
@Command(
    name = "adopt",
    description = {
      "Assign a restored, copied or upgraded database to an environment, so that its relays may send from it.",
      "Run it as the role that owns the tables, with all relays stopped. It shows what is undelivered and asks before it changes anything."
    },
    footerHeading = "%nExample:%n",
    footer = "  posthorn adopt --environment staging --as-sent --why \"copy for tests\"")
public final class AdoptCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();

  @Option(
      names = "--environment",
      required = true,
      paramLabel = "NAME",
      description = "The environment whose relays may send from this database.")
  private String environment = "";

  @ArgGroup(multiplicity = "1")
  private How how = new How();

  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Consent consent = new Consent();
  @Mixin private final Answer answer = new Answer();

  /**
   * The three ways to adopt. A person must choose one, because Posthorn cannot know which is right.
   */
  static final class How {
    private @Nullable Adopt choice;

    @Option(
        names = "--as-sent",
        description =
            "For a copy: send no older message. The log counts as delivered, and parked messages become dead letters.")
    void asSent(boolean chosen) {
      choose(chosen, Adopt.AS_SENT);
    }

    @Option(
        names = "--send-undelivered",
        description =
            "For a replacement of the original, which is gone: send what is undelivered according to the stored progress.")
    void sendUndelivered(boolean chosen) {
      choose(chosen, Adopt.SEND_UNDELIVERED);
    }

    @Option(
        names = "--same-history",
        description =
            "Only change the stored names. For a database whose transaction ids continue, as after pg_upgrade.")
    void sameHistory(boolean chosen) {
      choose(chosen, Adopt.SAME_HISTORY);
    }

    private void choose(boolean chosen, Adopt adopt) {
      choice = chosen ? adopt : choice;
    }

    /** Fails if every option that was passed is false. */
    private Adopt choice() {
      if (choice == null) {
        throw new CommandFailed(
            "nothing was done: pass --as-sent, --send-undelivered or --same-history", null);
      }
      return choice;
    }
  }

  @Override
  public void run() {
    Adopt choice = how.choice();
    Restore restore = Restore.on(where.store());
    Adoption found = restore.preview();
    answer.say(
        "This database belongs to environment %s of server %s; this server is %d."
            .formatted(found.environment(), found.server(), found.actualServer()));
    answer.table(
        List.of("destination", "undelivered", "recorded from", "to", "parked", "dead"),
        found.destinations().stream().map(AdoptCommand::row).toList());
    if (!found.relays().isEmpty()) {
      answer.say("Relays are running on this database: " + String.join(", ", found.relays()));
    }
    warn(found, choice);
    long messages = found.destinations().stream().mapToLong(Share::undelivered).sum();
    long parked = found.destinations().stream().mapToLong(Share::parked).sum();
    consent.ask(question(choice, messages, parked));
    Adoption adopted = restore.adopt(environment, choice, reason.by());
    answer.value(
        Map.of(
            "environment",
            environment,
            "server",
            adopted.actualServer(),
            "destinations",
            adopted.destinations().stream().map(AdoptCommand::json).toList()));
    answer.say("adopted: relays of environment " + environment + " may start");
  }

  /** Warns that the original of a copy may send the same messages. */
  private void warn(Adoption found, Adopt choice) {
    String of = found.environment();
    if (choice == Adopt.SEND_UNDELIVERED && of != null) {
      String original = of.startsWith(Restore.FENCED) ? of.substring(Restore.FENCED.length()) : of;
      if (!original.equals(environment)) {
        answer.say(
            "The undelivered messages belong to %s. If %1$s still runs, it sends them too, so receivers get them twice. With --as-sent, this database sends none of them."
                .formatted(original));
      }
    }
  }

  private String question(Adopt choice, long messages, long parked) {
    String undelivered = Count.exactly(messages).of("message");
    String beside = Count.exactly(parked).of("parked message");
    return switch (choice) {
      case SEND_UNDELIVERED ->
          "Adopt this database as '%s', send %s and %s, and empty the log?"
              .formatted(environment, undelivered, beside);
      case AS_SENT ->
          "Adopt this database as '%s', count %s as delivered, turn %s into dead letters, and empty the log?"
              .formatted(environment, undelivered, beside);
      case SAME_HISTORY ->
          "Only change the environment of this database to '%s'?".formatted(environment);
    };
  }

  private static List<String> row(Share share) {
    return List.of(
        share.destination(),
        "%,d".formatted(share.undelivered()),
        share.oldest() == null ? "" : Answer.time(share.oldest()),
        share.newest() == null ? "" : Answer.time(share.newest()),
        "%,d".formatted(share.parked()),
        "%,d".formatted(share.dead()));
  }

  private static Map<String, Object> json(Share share) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("destination", share.destination());
    map.put("undelivered", share.undelivered());
    map.put("parked", share.parked());
    map.put("dead", share.dead());
    return map;
  }
}
