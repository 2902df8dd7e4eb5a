package io.posthorn.postgresql.operate.doctor;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.steering.DestinationCheck;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.postgresql.operate.steering.CheckRows;
import io.posthorn.postgresql.operate.steering.DestinationReader;
import io.posthorn.postgresql.schema.DoctorCheck;
import io.posthorn.postgresql.sql.Database;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Checks each destination: whether a relay can send to it, and what people have paused. */
final class DestinationsExam {
  private DestinationsExam() {}

  static List<Diagnosis> look(Database database) {
    List<Diagnosis> found = new ArrayList<>();
    List<DestinationStatus> destinations = new DestinationReader(database).destinations();
    destinations.forEach(status -> found.addAll(look(status)));
    // A finding of a relay that no longer serves the destination may be out of date.
    List<String> served =
        destinations.stream()
            .filter(status -> status.relay() != null)
            .map(DestinationStatus::name)
            .toList();
    for (DestinationCheck check : new CheckRows(database).read()) {
      if (served.contains(check.destination())) {
        addProblems(check, found);
      }
    }
    return TransactionsExam.orElse(
        found,
        DoctorCheck.DESTINATION_CHECK.ok(
            "every destination answers, and none is paused or has a held key"));
  }

  private static void addProblems(DestinationCheck check, List<Diagnosis> found) {
    List<Finding> refused = check.problems().stream().filter(DestinationsExam::isRefusal).toList();
    List<Finding> others = new ArrayList<>(check.problems());
    others.removeAll(refused);
    if (!others.isEmpty()) {
      found.add(
          DoctorCheck.DESTINATION_CHECK.fault(
              text("relay '%2$s' cannot send to '%1$s' (checked at %3$s): %4$s", check, others),
              check.destination()));
    }
    if (!refused.isEmpty()) {
      found.add(
          DoctorCheck.STORE_REFUSED.fault(
              text(
                  "this database refuses what relay '%2$s' does for '%1$s' (at %3$s): %4$s",
                  check, refused)));
    }
  }

  private static boolean isRefusal(Finding problem) {
    return problem.name().equals(Reason.STORE_REFUSED);
  }

  private static String text(String format, DestinationCheck check, List<Finding> problems) {
    return format.formatted(
        check.destination(),
        check.relay(),
        check.at(),
        problems.stream().map(Finding::toString).collect(Collectors.joining("; ")));
  }

  private static List<Diagnosis> look(DestinationStatus status) {
    List<Diagnosis> found = new ArrayList<>();
    String name = status.name();
    if (status.breaker() != null) {
      found.add(
          DoctorCheck.BREAKER.fault(
              "'%s' does not answer: %s".formatted(name, status.breaker()), name));
    }
    if (status.pause() != null) {
      found.add(
          DoctorCheck.PAUSED.note(
              "'%s' was paused at %s by %s: %s"
                  .formatted(name, status.pause().at(), status.pause().who(), status.pause().why()),
              status.pause().scope().destination() == null ? "--all" : name));
    }
    if (status.heldKeys() > 0) {
      found.add(
          DoctorCheck.HELD_KEYS.warning(
              "%s of '%s' must wait behind a dead letter"
                  .formatted(Count.exactly(status.heldKeys()).of("key"), name),
              name));
    }
    return found;
  }
}
