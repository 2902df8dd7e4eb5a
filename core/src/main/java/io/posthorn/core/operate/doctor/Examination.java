package io.posthorn.core.operate.doctor;

import io.posthorn.core.operate.retention.RetentionTimes;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the checks compare the database with.
 *
 * @param environment the environment that its relays are configured with; null to skip the
 *     comparison
 * @param times the retention that its relays are configured with
 * @param roles the database roles whose privileges are checked, by use; if empty, the privileges of
 *     the current role are checked
 */
public record Examination(
    @Nullable String environment, RetentionTimes times, Map<DatabaseRole, List<String>> roles) {
  /** Compares no environment, and uses the default retention and the current role. */
  public static final Examination DEFAULT = new Examination(null, RetentionTimes.DEFAULT, Map.of());
}
