package io.posthorn.core.operate.doctor;

import io.posthorn.core.operate.retention.RetentionTimes;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the database is to be compared with.
 *
 * @param environment the one its relays are configured for; none = it is not compared
 * @param times how long things stay, as its relays are configured
 * @param roles whose rights are looked at, and for what; without any, those of the role in use
 */
public record Examination(
    @Nullable String environment, RetentionTimes times, Map<DatabaseRole, List<String>> roles) {
  public static final Examination DEFAULT = new Examination(null, RetentionTimes.DEFAULT, Map.of());
}
