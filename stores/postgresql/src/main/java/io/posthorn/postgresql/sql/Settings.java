package io.posthorn.postgresql.sql;

import java.time.Duration;

/**
 * What is sent in front of a statement, with it: settings that are local to its transaction. One
 * call for all of them: a SET each costs the server more than many a statement they are for.
 *
 * @param results how many results it has, which are not the statement's
 */
public record Settings(String text, int results) {
  public static final Settings NONE = new Settings("", 0);

  private static final String DURABLE =
      """
      set_config('synchronous_commit', 'on', true), \
      set_config('lock_timeout', '3s', true), \
      set_config('idle_in_transaction_session_timeout', '2s', true), \
      """;

  // With a plan for each time it is asked, the planner would take longer over the leaves of the
  // ring than the answer.
  private static final String KEPT_PLANS =
      """
      set_config('plan_cache_mode', 'force_generic_plan', true), \
      set_config('enable_seqscan', 'off', true), \
      set_config('enable_bitmapscan', 'off', true), \
      set_config('enable_sort', 'off', true), \
      """;

  // For what people ask: a plan for these very values.
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

  /** At the beginning of a transaction that writes. */
  public static Settings transaction(Duration patience) {
    return of(DURABLE + KEPT_PLANS, patience).readCommitted();
  }

  /** For a statement that only reads, on its own. */
  static Settings reading(Duration patience) {
    return of(KEPT_PLANS, patience);
  }

  /** For what people ask. */
  static Settings question(Duration patience) {
    return of(OWN_PLANS, patience);
  }

  private static Settings of(String more, Duration patience) {
    return new Settings("SELECT " + more + limit(patience) + "set_config('jit', 'off', true); ", 1);
  }

  /**
   * Sooner than the client gives up, so that it hears of it; a shorter time of the role stays. It
   * is not for COMMIT, which may wait for a standby: PostgreSQL ends the measuring of a statement's
   * time before it commits.
   */
  private static String limit(Duration patience) {
    return patience.isZero() ? "" : LIMIT.formatted(patience.toMillis() * 3 / 4);
  }

  /** The same at the beginning of a transaction whose statements all see one moment. */
  Settings oneSnapshot() {
    return new Settings(
        "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; " + text, results + 1);
  }

  /** The same at the beginning of a transaction. */
  Settings readCommitted() {
    return new Settings("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; " + text, results + 1);
  }
}
