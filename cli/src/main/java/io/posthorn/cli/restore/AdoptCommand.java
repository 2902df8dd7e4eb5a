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

/** Makes a restored or copied database the one of an environment. */
@Command(
    name = "adopt",
    description = {
      "Make a restored, copied or upgraded database the one of an environment.",
      "Run it as the role that owns the tables, with all relays stopped."
    })
public final class AdoptCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();

  @Option(
      names = "--environment",
      required = true,
      paramLabel = "NAME",
      description = "Whose relays are to send from it.")
  private String environment = "";

  @ArgGroup(multiplicity = "1")
  private How how = new How();

  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Consent consent = new Consent();
  @Mixin private final Answer answer = new Answer();

  /** One of them; which one is for a person to say. */
  static final class How {
    private @Nullable Adopt choice;

    @Option(
        names = "--as-sent",
        description =
            "For a copy: send nothing of before. The log counts as delivered, what is parked becomes dead letters.")
    void asSent(boolean chosen) {
      choose(chosen, Adopt.AS_SENT);
    }

    @Option(
        names = "--send-undelivered",
        description =
            "In place of the original, which is gone: send what the stored progress says is undelivered.")
    void sendUndelivered(boolean chosen) {
      choose(chosen, Adopt.SEND_UNDELIVERED);
    }

    @Option(
        names = "--same-history",
        description = "Only change the names: its transaction ids go on, as after pg_upgrade.")
    void sameHistory(boolean chosen) {
      choose(chosen, Adopt.SAME_HISTORY);
    }

    private void choose(boolean chosen, Adopt yours) {
      choice = chosen ? yours : choice;
    }

    /** None, if all that were named are false. */
    private Adopt choice() {
      if (choice == null) {
        throw new CommandFailed(
            "nothing was done: say --as-sent, --send-undelivered or --same-history", null);
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
        "It belongs to environment %s of server %s; this is server %d."
            .formatted(found.environment(), found.server(), found.actualServer()));
    answer.table(
        List.of("destination", "undelivered", "recorded from", "to", "parked", "dead"),
        found.destinations().stream().map(AdoptCommand::row).toList());
    if (!found.relays().isEmpty()) {
      answer.say("Relays are running on it: " + String.join(", ", found.relays()));
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

  /** Of a copy, the original sends the same. */
  private void warn(Adoption found, Adopt choice) {
    String of = found.environment();
    if (choice == Adopt.SEND_UNDELIVERED && of != null) {
      String original = of.startsWith(Restore.FENCED) ? of.substring(Restore.FENCED.length()) : of;
      if (!original.equals(environment)) {
        answer.say(
            "What is undelivered belongs to %s. If that still runs, it sends it too: --as-sent sends nothing of it from here."
                .formatted(original));
      }
    }
  }

  private String question(Adopt choice, long messages, long parked) {
    String undelivered = Count.exactly(messages).of("message");
    String beside = Count.exactly(parked).of("parked message");
    return switch (choice) {
      case SEND_UNDELIVERED ->
          "Adopt it as '%s', send %s and %s, and empty the log?"
              .formatted(environment, undelivered, beside);
      case AS_SENT ->
          "Adopt it as '%s', count %s as delivered, make dead letters of %s, and empty the log?"
              .formatted(environment, undelivered, beside);
      case SAME_HISTORY -> "Only rename it to '%s'?".formatted(environment);
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
