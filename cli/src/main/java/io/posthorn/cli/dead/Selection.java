package io.posthorn.cli.dead;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Reason;
import io.posthorn.core.audit.By;
import io.posthorn.core.deadletter.DeadLetter;
import io.posthorn.core.deadletter.DeadLetterQuery;
import io.posthorn.core.deadletter.DeadLetters;
import io.posthorn.core.deadletter.Rescued;
import java.io.Console;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The letters a rescue is for, named or by a query; who acts, and why. */
final class Selection {
  private static final int CHUNK = 500;

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final LetterFilter filter = new LetterFilter();

  @Parameters(
      paramLabel = "LETTER",
      arity = "0..*",
      description = "Their ids; or say which by options.")
  private List<UUID> ids = new ArrayList<>();

  @Option(names = "--all", description = "All that wait, if nothing else says which.")
  private boolean all;

  @Mixin private final Reason reason = new Reason();

  @Option(names = "--yes", description = "Do not ask.")
  private boolean yes;

  List<UUID> ids() {
    return ids;
  }

  /** One chunk of letters. */
  interface Step {
    Rescued rescue(List<UUID> letters, By by);
  }

  void rescue(DeadLetters letters, Answer answer, String verb, String done, Step step) {
    By by = reason.by();
    Rescued result;
    if (!ids.isEmpty()) {
      if (!filter.isEmpty() || all) {
        throw new ParameterException(
            spec.commandLine(), "name letters, or say which by options; not both");
      }
      result = step.rescue(ids, by);
    } else {
      if (filter.isEmpty() && !all) {
        throw new ParameterException(
            spec.commandLine(), "which letters? Name them, say which by options, or --all");
      }
      result = many(letters, filter.query(), answer, verb, by, step);
    }
    Map<String, String> refused = new LinkedHashMap<>();
    result.refused().forEach((id, reason) -> refused.put(id.toString(), reason));
    answer.value(Map.of("done", result.done(), "refused", refused));
    refused.forEach((id, reason) -> answer.say("letter " + id + ": nothing done, " + reason));
    answer.say("%,d %s".formatted(result.done(), done));
  }

  private Rescued many(
      DeadLetters letters, DeadLetterQuery query, Answer answer, String verb, By by, Step step) {
    long count = letters.count(query);
    confirm("%s %,d dead letters?".formatted(verb, count), count);
    int done = 0;
    Map<UUID, String> refused = new HashMap<>();
    DeadLetter last = null;
    // Letters that come to be while this runs are left for the next time.
    for (long seen = 0; seen < count; ) {
      List<DeadLetter> page = letters.list(query, last, (int) Math.min(CHUNK, count - seen));
      if (page.isEmpty()) {
        break;
      }
      Rescued rescued = step.rescue(page.stream().map(DeadLetter::id).toList(), by);
      done += rescued.done();
      refused.putAll(rescued.refused());
      seen += page.size();
      last = page.get(page.size() - 1);
      if (count > CHUNK) {
        answer.say("%,d of %,d".formatted(seen, count));
      }
    }
    return new Rescued(done, refused);
  }

  // From Java 22 on there always is one; without a person it reads null, which is a no.
  @SuppressWarnings("SystemConsoleNull")
  private void confirm(String question, long count) {
    if (yes || count == 0) {
      return;
    }
    Console console = System.console();
    if (console == null) {
      throw new CommandFailed(
          question + " Nothing was done: say --yes, there is nobody to ask", null);
    }
    String reply = console.readLine("%s [y/N] ", question);
    if (reply == null || !reply.strip().equalsIgnoreCase("y")) {
      throw new CommandFailed("nothing was done", null);
    }
  }
}
