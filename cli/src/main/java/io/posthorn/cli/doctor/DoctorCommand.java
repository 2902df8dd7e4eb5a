package io.posthorn.cli.doctor;

import io.posthorn.cli.Exit;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.cli.retention.TimesOptions;
import io.posthorn.core.operate.doctor.DatabaseRole;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.core.operate.doctor.Severity;
import io.posthorn.core.operate.figures.Figures.Count;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks everything that delivery needs, and says how to fix what is wrong. */
@Command(
    name = "doctor",
    description = {
      "Check everything that delivery needs: the database, the tables, rights, open transactions, relays, routes, destinations, retention.",
      "It changes nothing. Each finding says why it matters and what to do; docs/operate/doctor.md lists all findings."
    },
    exitCodeList = {
      "0:no warnings and no faults",
      Exit.NOTHING_DONE_LINE,
      Exit.USAGE_LINE,
      "6:a warning or a fault"
    })
public final class DoctorCommand implements Callable<Integer> {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final TimesOptions times = new TimesOptions();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--environment",
      paramLabel = "NAME",
      description =
          "Check that the database belongs to this environment, the one your relays are configured with.")
  private @Nullable String environment;

  @Option(
      names = "--writer",
      paramLabel = "ROLE",
      description = "Check that this role has a writer's rights.")
  private List<String> writers = List.of();

  @Option(
      names = "--receiver",
      paramLabel = "ROLE",
      description = "Check that this role has a receiver's rights.")
  private List<String> receivers = List.of();

  @Option(
      names = "--relay",
      paramLabel = "ROLE",
      description = "Check that this role has a relay's rights.")
  private List<String> relays = List.of();

  @Option(
      names = "--operator",
      paramLabel = "ROLE",
      description =
          "Check that this role has an operator's rights. Without any of these four options, the role that connects is checked.")
  private List<String> operators = List.of();

  @Option(names = "--all", description = "Show also what is in order.")
  private boolean all;

  @Override
  public Integer call() {
    Map<DatabaseRole, List<String>> roles = new EnumMap<>(DatabaseRole.class);
    roles.put(DatabaseRole.WRITER, writers);
    roles.put(DatabaseRole.RECEIVER, receivers);
    roles.put(DatabaseRole.RELAY, relays);
    roles.put(DatabaseRole.OPERATOR, operators);
    List<Diagnosis> found =
        where.store().examine(new Examination(environment, times.times(), roles));
    answer.value(json(found));
    for (Severity severity : List.of(Severity.FAULT, Severity.WARNING, Severity.NOTE)) {
      found.stream().filter(x -> x.severity() == severity).forEach(this::print);
    }
    if (all) {
      found.stream()
          .filter(x -> x.severity() == Severity.OK)
          .forEach(x -> answer.say("%-8s %s".formatted("ok", x.found())));
      answer.say("");
    }
    answer.say(summary(found));
    return worst(found).compareTo(Severity.NOTE) > 0 ? Exit.FOUND : Exit.DONE;
  }

  private void print(Diagnosis found) {
    answer.say("%-8s %s (%s)".formatted(word(found.severity()), found.found(), found.code()));
    answer.say("%-8s why: %s".formatted("", found.why()));
    answer.say("%-8s do:  %s".formatted("", found.todo()));
    answer.say("");
  }

  private static Severity worst(List<Diagnosis> found) {
    return found.stream().map(Diagnosis::severity).max(Severity::compareTo).orElse(Severity.OK);
  }

  private static String summary(List<Diagnosis> found) {
    return "%s, %s, %s; %d in order"
        .formatted(
            many(found, Severity.FAULT),
            many(found, Severity.WARNING),
            many(found, Severity.NOTE),
            count(found, Severity.OK));
  }

  private static String many(List<Diagnosis> found, Severity severity) {
    long count = count(found, severity);
    return count == 0 ? "no " + word(severity) + "s" : Count.exactly(count).of(word(severity));
  }

  private static long count(List<Diagnosis> found, Severity severity) {
    return found.stream().filter(x -> x.severity() == severity).count();
  }

  private static String word(Severity severity) {
    return severity.name().toLowerCase(Locale.ROOT);
  }

  private static Map<String, Object> json(List<Diagnosis> found) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("worst", word(worst(found)));
    for (Severity severity : Severity.values()) {
      map.put(word(severity), count(found, severity));
    }
    map.put("findings", found.stream().map(DoctorCommand::json).toList());
    return map;
  }

  private static Map<String, Object> json(Diagnosis found) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("code", found.code());
    map.put("severity", word(found.severity()));
    map.put("subject", found.subject().name().toLowerCase(Locale.ROOT));
    map.put("found", found.found());
    if (found.severity() != Severity.OK) {
      map.put("why", found.why());
      map.put("do", found.todo());
    }
    return map;
  }
}
