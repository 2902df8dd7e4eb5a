package io.posthorn.postgresql.operate.doctor;

import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.figures.Figures;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.postgresql.operate.figures.ExpiringFigures;
import io.posthorn.postgresql.operate.figures.RetentionFigures;
import io.posthorn.postgresql.schema.DoctorCheck;
import io.posthorn.postgresql.schema.Ring;
import io.posthorn.postgresql.sql.Database;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Checks that retention keeps up, and which dead letters it will remove soon. */
final class RetentionExam {
  /** The threshold of the alert OutboxRetentionBlocked. */
  private static final Duration LATE = Duration.ofHours(6);

  private static final Duration LONGEST = Duration.ofDays(Ring.LEAVES - Ring.MARGIN);

  private RetentionExam() {}

  static List<Diagnosis> look(Database.Tx tx, RetentionTimes times) throws SQLException {
    List<Diagnosis> found = new ArrayList<>();
    found.add(times(times));
    found.add(late(RetentionFigures.read(tx, times.sent())));
    List<Figures.Expiring> expiring = ExpiringFigures.read(tx, times.dead());
    for (Figures.Expiring letters : expiring) {
      found.add(
          DoctorCheck.LETTERS_EXPIRE.warning(
              "%s of '%s' will be removed within %d days, the first in %d h"
                  .formatted(
                      letters.count().of("dead letter"),
                      letters.destination(),
                      RetentionTimes.ANNOUNCED.toDays(),
                      Math.max(0, letters.first().toHours()))));
    }
    if (expiring.isEmpty()) {
      found.add(DoctorCheck.LETTERS_EXPIRE.ok("no dead letter will be removed soon"));
    }
    return found;
  }

  private static Diagnosis times(RetentionTimes times) {
    String found =
        "messages are kept for %s days, dead letters for %s days"
            .formatted(days(times.sent()), days(times.dead()));
    return times.sent().compareTo(LONGEST) > 0
            || times.dead().compareTo(RetentionTimes.ANNOUNCED) < 0
        ? DoctorCheck.RETENTION_TIMES.fault(
            found, LONGEST.toDays(), RetentionTimes.ANNOUNCED.toDays())
        : DoctorCheck.RETENTION_TIMES.ok(found);
  }

  private static String days(Duration time) {
    return "%.1f".formatted(time.toMinutes() / (24.0 * 60)).replaceFirst("[.,]0$", "");
  }

  private static Diagnosis late(Figures.Retention retention) {
    if (retention.lag().compareTo(LATE) <= 0) {
      return DoctorCheck.RETENTION_BLOCKED.ok("the log is emptied on time");
    }
    return DoctorCheck.RETENTION_BLOCKED.warning(
        "the oldest day of the log should have been emptied %,d h ago; it waits for %s"
            .formatted(
                retention.lag().toHours(),
                retention.blockedBy().isEmpty()
                    ? "an open transaction, or for a relay to empty it"
                    : String.join(", ", retention.blockedBy())));
  }
}
