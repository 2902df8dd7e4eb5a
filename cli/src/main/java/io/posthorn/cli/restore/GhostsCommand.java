package io.posthorn.cli.restore;

import io.posthorn.cli.Exit;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.cli.database.Times;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.core.operate.restore.SentJournal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lists messages that were sent and that the database does not know. */
@Command(
    name = "ghosts",
    description = {
      "List messages that relays sent and that this database does not know.",
      "Run it after a failover to a server that lacked the last transactions. Receivers acted on"
          + " these messages, but the changes they report are gone: decide what to do about each.",
      "Needs the journals of the relays (SentJournal)."
    },
    exitCodeList = {
      "0:there is none",
      Exit.NOTHING_DONE_LINE,
      Exit.USAGE_LINE,
      "6:there are such messages"
    })
public final class GhostsCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--journal",
      required = true,
      paramLabel = "DIRECTORY",
      description =
          "The directory with the relays' journals. Copy those of several machines into one.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path journal;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      defaultValue = "24h",
      description =
          "Ignore what was sent before; at most as long ago as sent messages are kept. Default: ${DEFAULT-VALUE}.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private String from;

  @Override
  public Integer call() {
    Instant since = Objects.requireNonNull(Times.parse(spec, "--from", from));
    List<SentJournal.Entry> ghosts = new ArrayList<>();
    long compared = Restore.on(where.store()).ghosts(journal, since, ghosts::add);
    answer.value(
        Map.of("compared", compared, "ghosts", ghosts.stream().map(GhostsCommand::json).toList()));
    if (!ghosts.isEmpty()) {
      answer.table(
          List.of("MESSAGE", "TYPE", "DESTINATION", "SENT AT"),
          ghosts.stream().map(GhostsCommand::row).toList());
    }
    answer.say(
        "%,d of %,d sent messages are unknown to this database".formatted(ghosts.size(), compared));
    return ghosts.isEmpty() ? Exit.DONE : Exit.FOUND;
  }

  private static List<String> row(SentJournal.Entry ghost) {
    return List.of(
        ghost.message().toString(), ghost.type(), ghost.destination(), ghost.at().toString());
  }

  private static Map<String, Object> json(SentJournal.Entry ghost) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("message", ghost.message().toString());
    map.put("type", ghost.type());
    map.put("destination", ghost.destination());
    map.put("sentAt", ghost.at().toString());
    map.put("seq", ghost.seq());
    return map;
  }
}
