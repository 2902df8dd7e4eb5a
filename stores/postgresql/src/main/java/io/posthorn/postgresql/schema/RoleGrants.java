package io.posthorn.postgresql.schema;

import io.posthorn.postgresql.sql.TableNames;

/**
 * The smallest set of grants for each role. No role creates or alters anything at run time, and
 * writers cannot set {@code tx} or {@code seq}, which delivery relies on.
 */
public final class RoleGrants {
  private static final String WRITER =
      """
      GRANT USAGE ON SCHEMA %1$s TO %2$s;
      GRANT INSERT (id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key, occurred_at, not_before)
        ON posthorn_log TO %2$s;
      GRANT USAGE ON SEQUENCE posthorn_seq TO %2$s;
      GRANT INSERT (id), SELECT (id) ON posthorn_given_id, posthorn_noted_id TO %2$s;
      """;

  // Together with the writer's grants, because a handler may add messages. Receiving is done by
  // functions with the owner's rights: the role itself can neither read nor write where messages
  // wait.
  private static final String RECEIVER =
      """
      GRANT EXECUTE ON FUNCTION posthorn_receive, posthorn_park, posthorn_bury TO %2$s;
      """;

  private static final String RELAY =
      """
      GRANT USAGE ON SCHEMA %1$s TO %2$s;
      GRANT SELECT, TRUNCATE ON posthorn_log TO %2$s;
      GRANT SELECT ON SEQUENCE posthorn_seq TO %2$s;
      GRANT SELECT ON posthorn_migration TO %2$s;
      GRANT SELECT, INSERT ON posthorn_pause TO %2$s;
      GRANT SELECT, UPDATE ON posthorn_meta TO %2$s;
      GRANT SELECT, INSERT, UPDATE ON posthorn_destination, posthorn_lane TO %2$s;
      GRANT SELECT, INSERT ON posthorn_route TO %2$s;
      GRANT SELECT, INSERT, UPDATE, DELETE ON posthorn_relay, posthorn_relay_serves, posthorn_parked, posthorn_held, posthorn_breaker, posthorn_check TO %2$s;
      GRANT SELECT, INSERT, DELETE ON posthorn_edge, posthorn_key_edge TO %2$s;
      GRANT SELECT, INSERT, TRUNCATE ON posthorn_progress TO %2$s;
      GRANT EXECUTE ON FUNCTION posthorn_begin_times_anew TO %2$s;
      GRANT USAGE ON SEQUENCE posthorn_progress_n TO %2$s;
      GRANT SELECT, INSERT, DELETE ON posthorn_attempt TO %2$s;
      GRANT SELECT, INSERT, UPDATE, DELETE ON posthorn_dead TO %2$s;
      GRANT EXECUTE ON FUNCTION posthorn_note TO %2$s;
      GRANT SELECT, INSERT ON posthorn_archive TO %2$s;
      GRANT SELECT, INSERT, DELETE ON posthorn_archive_dead TO %2$s;
      GRANT SELECT, INSERT, UPDATE ON posthorn_archived TO %2$s;
      GRANT SELECT, INSERT, UPDATE, DELETE ON posthorn_archived_letter TO %2$s;
      GRANT SELECT, DELETE ON posthorn_given_id, posthorn_noted_id TO %2$s;
      GRANT SELECT ON posthorn_message_state, posthorn_backlog, posthorn_backlog_now TO %2$s;
      GRANT SELECT, UPDATE ON posthorn_operation TO %2$s;
      GRANT SELECT, INSERT, DELETE ON posthorn_operation_outcome TO %2$s;
      GRANT SELECT, DELETE, TRUNCATE ON posthorn_receipt TO %2$s;
      GRANT SELECT, DELETE ON posthorn_handled TO %2$s;
      """;

  private static final String OPERATOR =
      """
      GRANT USAGE ON SCHEMA %1$s TO %2$s;
      GRANT SELECT ON posthorn_log, posthorn_migration, posthorn_meta, posthorn_route, posthorn_relay, posthorn_relay_serves, posthorn_progress, posthorn_attempt, posthorn_breaker, posthorn_check, posthorn_edge, posthorn_key_edge TO %2$s;
      GRANT SELECT ON SEQUENCE posthorn_seq TO %2$s;
      GRANT SELECT, UPDATE ON posthorn_destination, posthorn_lane TO %2$s;
      GRANT SELECT, INSERT, UPDATE ON posthorn_dead TO %2$s;
      GRANT SELECT, INSERT, UPDATE, DELETE ON posthorn_parked, posthorn_held TO %2$s;
      GRANT SELECT, INSERT, UPDATE ON posthorn_operation TO %2$s;
      GRANT SELECT, INSERT, DELETE ON posthorn_operation_outcome TO %2$s;
      GRANT UPDATE (only_row) ON posthorn_meta TO %2$s;
      GRANT SELECT, INSERT, UPDATE ON posthorn_cause TO %2$s;
      GRANT SELECT, INSERT, DELETE ON posthorn_pause TO %2$s;
      GRANT DELETE ON posthorn_destination, posthorn_lane, posthorn_route, posthorn_breaker, posthorn_check TO %2$s;
      GRANT EXECUTE ON FUNCTION posthorn_note, posthorn_begin_times_anew TO %2$s;
      GRANT SELECT ON posthorn_audit TO %2$s;
      GRANT SELECT ON posthorn_message_state, posthorn_backlog, posthorn_backlog_now, posthorn_destination_status, posthorn_destination_status_now, posthorn_dead_letter TO %2$s;
      GRANT SELECT ON posthorn_archive, posthorn_archive_dead, posthorn_archived TO %2$s;
      GRANT INSERT ON posthorn_archive, posthorn_progress, posthorn_attempt TO %2$s;
      GRANT SELECT, DELETE ON posthorn_archived, posthorn_archived_letter TO %2$s;
      GRANT USAGE ON SEQUENCE posthorn_progress_n TO %2$s;
      GRANT SELECT, UPDATE (state) ON posthorn_receipt TO %2$s;
      """;

  private final TableNames tables;

  public RoleGrants(TableNames tables) {
    this.tables = tables;
  }

  public String writer(String role) {
    return in(WRITER, role);
  }

  /** Returns the grants of an application that receives messages and may add them. */
  public String receiver(String role) {
    return in(WRITER, role) + in(RECEIVER, role);
  }

  /**
   * Returns the grants of a relay. TRUNCATE must be granted on each leaf of the ring, because
   * PostgreSQL checks it on the leaf itself.
   */
  public String relay(String role) {
    return in(RELAY, role) + leaves("SELECT, TRUNCATE", role) + receiptLeaves(role);
  }

  public String operator(String role) {
    return in(OPERATOR, role) + leaves("SELECT", role);
  }

  private String leaves(String rights, String role) {
    StringBuilder grants = new StringBuilder();
    for (int slot = 0; slot < Ring.LEAVES; slot++) {
      grants.append(
          in(
              "GRANT %s ON %s, %s TO %%2$s;%n"
                  .formatted(rights, Ring.LOG.leaf(slot).table(), Ring.PROGRESS.leaf(slot).table()),
              role));
    }
    return grants.toString();
  }

  private String receiptLeaves(String role) {
    StringBuilder grants = new StringBuilder();
    for (int slot = 0; slot < ReceiptRing.LEAVES; slot++) {
      grants.append(
          in("GRANT SELECT, TRUNCATE ON %s TO %%2$s;%n".formatted(ReceiptRing.leaf(slot)), role));
    }
    return grants.toString();
  }

  private String in(String grants, String role) {
    // Table names first, because a role may have the name of a table.
    return tables.in(grants).formatted(tables.schema(), "\"" + role.replace("\"", "\"\"") + "\"");
  }
}
