package io.posthorn.postgresql.sql;

import java.time.Duration;

/**
 * Settings that are sent in front of a statement and are local to its transaction. One call sets
 * them all: a SET for each costs the server more than many a statement that they are for.
 *
 * @param results how many results the settings produce before those of the statement
 */
public record Settings(String text, int results) {
  public static final Settings NONE = new Settings("", 0);

  private static final String DURABLE =
      """
      set_config('synchronous_commit', 'on', true), \
      set_config('lock_timeout', '3s', true), \
      set_config('idle_in_transaction_session_timeout', '2s', true), \
      """;

  // The server keeps plans. Otherwise the planner would take longer over the leaves of the ring
  // than the execution.
  private static final String KEPT_PLANS =
      """
      set_config('plan_cache_mode', 'force_generic_plan', true), \
      set_config('enable_seqscan', 'off', true), \
      set_config('enable_bitmapscan', 'off', true), \
      set_config('enable_sort', 'off', true), \
      """;

  // For people's queries: a plan for their values.
  private static final String OWN_PLANS =
      """
      set_config('plan_cache_mode', 'force_custom_plan', true), \
      """;

  private static final String LIMIT =
      """
      set_config('statement_timeout',
                 CASE WHEN current_setting('statement_timeout')::interval BETWEEN '1 ms' AND '%1$d ms'
                      THEN current_setting('statement_timeout')
                      ELSE '%1$d ms'
                 END,
                 true), \
      """;

  /** Returns the settings of a transaction that writes. */
  public static Settings transaction(Duration patience) {
    return of(DURABLE + KEPT_PLANS, patience).readCommitted();
  }

  /** Returns the settings of a single statement that only reads. */
  static Settings reading(Duration patience) {
    return of(KEPT_PLANS, patience);
  }

  /** Returns the settings of a query of people. */
  static Settings question(Duration patience) {
    return of(OWN_PLANS, patience);
  }

  private static Settings of(String more, Duration patience) {
    return new Settings("SELECT " + more + limit(patience) + "set_config('jit', 'off', true); ", 1);
  }

  /**
   * Returns a statement timeout shorter than the client's patience, so that the client receives the
   * error; a shorter timeout of the role stays. It does not apply to COMMIT, which may wait for a
   * standby: PostgreSQL stops measuring a statement's time before it commits.
   */
  private static String limit(Duration patience) {
    return patience.isZero() ? "" : LIMIT.formatted(patience.toMillis() * 3 / 4);
  }

  /** Returns these settings for a transaction whose statements share one snapshot. */
  Settings oneSnapshot() {
    return new Settings(
        "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; " + text, results + 1);
  }

  /** Returns these settings for a READ COMMITTED transaction. */
  Settings readCommitted() {
    return new Settings("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; " + text, results + 1);
  }
}
