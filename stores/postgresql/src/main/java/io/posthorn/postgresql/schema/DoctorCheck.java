package io.posthorn.postgresql.schema;

import static io.posthorn.core.operate.doctor.Subject.DELIVERY;
import static io.posthorn.core.operate.doctor.Subject.RETENTION;
import static io.posthorn.core.operate.doctor.Subject.SERVER;
import static io.posthorn.core.operate.doctor.Subject.TABLES;
import static io.posthorn.core.operate.doctor.Subject.TRANSACTIONS;

import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Severity;
import io.posthorn.core.operate.doctor.Subject;

/** The checks of the doctor: why each matters, and what to do if it fails. */
public enum DoctorCheck {
  STANDBY(
      SERVER,
      "a standby accepts no writes, so nothing can be settled",
      "connect to the primary (targetServerType=primary)"),
  SERVER_VERSION(
      SERVER,
      "Posthorn needs PostgreSQL 15 or newer",
      "upgrade the server to PostgreSQL 15 or newer"),
  ENCODING(
      SERVER,
      "a message, header or error text with a character that the encoding lacks cannot be stored, so it is not delivered",
      "use a database with the encoding UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0; move the data of '%s' there with pg_dump and pg_restore"),
  READ_ONLY(
      SERVER,
      "applications cannot add messages and relays cannot settle in a read-only transaction",
      "reset default_transaction_read_only for the role, the database or the server"),
  DURABILITY(
      SERVER,
      "a confirmed commit may be lost or half written when the machine fails, and with it what was settled",
      "set fsync and full_page_writes to on"),
  SYNCHRONOUS_COMMIT(
      SERVER,
      "a crash may lose a writer's latest commits and the messages in them; relays set it for themselves",
      "set synchronous_commit to on for the roles that write, or accept the risk"),
  ASYNCHRONOUS_STANDBY(
      SERVER,
      "a failover to a standby that is behind loses the newest commits, although some of their messages may have been sent",
      "set synchronous_standby_names, or accept the risk (docs/operate/failover.md)"),
  AUTOVACUUM(
      SERVER,
      "without it the small tables that change often (leases, parked messages) grow, and every query on them slows down",
      "set autovacuum to on, and reset autovacuum_enabled on these tables"),
  STATEMENT_TIMEOUT(
      SERVER,
      "a settle, a page of a large backlog or retention may be cancelled repeatedly",
      "give the roles of relays and operators at least 5 s: ALTER ROLE … SET statement_timeout = '30s'"),
  IDLE_TRANSACTIONS(
      SERVER,
      "a writer that hangs in a transaction holds back its own messages, vacuum and retention until it ends; relays set the timeout for themselves",
      "ALTER ROLE … SET idle_in_transaction_session_timeout = '5min' for the roles that write"),
  CONNECTIONS(
      SERVER,
      "a relay without a connection loses its lease, and a writer without one adds no message",
      "make pools smaller, put a pooler in front, or raise max_connections"),
  CLOCK(
      SERVER,
      "leases and attempts follow the server's clock; occurred-at, scheduled times and the times in ids come from the writers' machines",
      "synchronise the clocks of both machines (NTP)"),
  POOLER(
      SERVER,
      "Posthorn keeps no session state, so it works; the driver's prepared statements may not",
      "with PgBouncer before 1.21, or without max_prepared_statements, add prepareThreshold=0 to the URL"),
  SIGHT(
      SERVER,
      "this role cannot see how long transactions of other roles have been open",
      "GRANT pg_read_all_stats to the role of operators"),
  TABLES_MISSING(
      TABLES,
      "nothing can be added or delivered without Posthorn's tables",
      "check that database, schema and prefix are right, or run 'posthorn schema migrate'"),
  TABLES_OF_ANOTHER_VERSION(TABLES, "this Posthorn needs tables of version %1$s", "%2$s"),
  MISSING_RIGHTS(
      TABLES,
      "an action without its right fails when it is first needed, perhaps months from now (TRUNCATE of a leaf)",
      "run what 'posthorn schema grants --%s %s' prints"),
  SEQUENCE_CACHED(
      TABLES,
      "sessions use numbers in another order than they are drawn, and messages would be lost",
      "run ALTER SEQUENCE %s CACHE 1"),
  LEAVES(
      TABLES,
      "on the day of a missing leaf, no message can be added or settled",
      "attach the missing leaf again: ALTER TABLE … ATTACH PARTITION … FOR VALUES IN (…); 'posthorn schema print' shows its number"),
  INDEXES(
      TABLES,
      "the planner ignores an invalid index and reads the whole log instead",
      "run REINDEX INDEX CONCURRENTLY %s; or drop the index if it is not one of Posthorn's"),
  ENVIRONMENT_DIFFERS(
      TABLES,
      "a copy must not send what the original sends, and cursors of another server do not fit this one",
      "%s"),
  CURSOR_AHEAD(
      TABLES,
      "the tables come from another server (a dump, a copy): new messages would count as delivered, so nothing is sent",
      "decide what was delivered: on a copy whose original still sends, stop the relays and run 'posthorn adopt --environment NAME --as-sent --why TEXT' as the owner of the tables, which sends no earlier message; for a restored database see docs/guide/restore.md"),
  SEQUENCE_BEHIND(
      TABLES,
      "new messages get numbers that are in use, and would count as delivered",
      "stop all writers and run SELECT setval('%s', %s); then write again what was written in the meantime"),
  OPEN_TRANSACTION(
      TRANSACTIONS,
      "its own messages wait for its commit; until it ends, dead rows of all tables stay, and a leaf that it has touched cannot be emptied",
      "find out what it waits for; SELECT pg_terminate_backend(%s) ends it"),
  PREPARED_TRANSACTION(
      TRANSACTIONS,
      "it outlives its session and restarts of the server: its messages wait, its locks stay, dead rows of all tables stay, and a leaf that it has touched cannot be emptied",
      "ask its transaction manager, then COMMIT PREPARED '%1$s' or ROLLBACK PREPARED '%1$s'"),
  REPLICATION_SLOT(
      TRANSACTIONS,
      "the server keeps all write-ahead log since then for it, and perhaps dead rows, until the disk is full",
      "restart its reader, or run SELECT pg_drop_replication_slot('%s')"),
  NOT_SERVED(
      DELIVERY,
      "no relay delivers its messages",
      "start a relay that has this destination, or see in its log why it does not take it; if the destination is no longer wanted, run 'posthorn destinations remove DESTINATION --why TEXT'"),
  UNROUTED_NOT_SERVED(
      DELIVERY,
      "messages that no route wants are neither handed over nor reported, and the log keeps them",
      "start a relay, whatever its destinations: every relay serves 'unrouted', the built-in destination"),
  LEASE_EXPIRED(
      DELIVERY,
      "the relay was killed, is frozen or cannot reach the database, and no other relay can take over",
      "check the relay; restart it, or start another one"),
  NOBODY_STANDS_BY(
      DELIVERY,
      "while the only relay restarts, nothing is delivered",
      "run a second relay with the same destinations"),
  NO_ROUTES(
      DELIVERY,
      "a destination without routes receives no messages",
      "configure types for it in its application, or leave it as it is"),
  TYPE_NOT_SERVED(
      DELIVERY,
      "messages of this type, and later messages of their keys, wait until a relay runs that has the code",
      "deploy the version that has the code for it (a handler, a route) with every relay of the destination"),
  TYPE_WITHOUT_ROUTE(
      DELIVERY,
      "messages of this type wait for a route during the grace period (10 minutes by default) and then become dead letters (NO_ROUTE)",
      "deploy a destination that wants the type; it receives the messages that still wait. For dead letters run 'posthorn dead requeue --destination unrouted --type TYPE --why TEXT'"),
  DESTINATION_CHECK(
      DELIVERY,
      "its relay reports that it cannot send there",
      "fix the receiver or the connector's configuration; 'posthorn destinations check %s' checks again"),
  BREAKER(
      DELIVERY,
      "a destination that does not answer receives only occasional probes; its messages wait, in order",
      "fix the receiver; delivery then resumes by itself. 'posthorn destinations check %s' checks now"),
  PAUSED(
      DELIVERY,
      "nothing is sent until a person resumes it",
      "run 'posthorn destinations resume %s --why TEXT' when the reason is gone"),
  HELD_KEYS(
      DELIVERY,
      "all messages of these keys wait behind a dead letter until a person acts",
      "run 'posthorn dead list --destination %1$s'; requeue or discard the letter, or run 'posthorn parked release %1$s TYPE/ID --why TEXT'"),
  RETENTION_TIMES(
      RETENTION,
      "the ring holds %s days, and dead letters are reported %s days before they are removed; retention refuses other values",
      "choose a retention of at most %s and a dead-retention of at least %s days"),
  RETENTION_BLOCKED(
      RETENTION,
      "the log grows until the oldest day can be emptied",
      "'posthorn retention show' shows what it waits for; serve the destination, run 'posthorn destinations spill DESTINATION --why TEXT', or end the transaction"),
  LETTERS_EXPIRE(
      RETENTION,
      "dead letters that are neither requeued nor discarded are removed, into the archive if there is one",
      "run 'posthorn dead groups'; requeue or discard them"),
  NOT_LOOKED_AT(
      SERVER,
      "problems in what was not checked are not reported",
      "run the doctor as a role that may check it: 'posthorn schema grants --operator ROLE'");

  private final Subject subject;
  private final String why;
  private final String todo;

  DoctorCheck(Subject subject, String why, String todo) {
    this.subject = subject;
    this.why = why;
    this.todo = todo;
  }

  /** Returns that the check found no problem. */
  public Diagnosis ok(String found) {
    return new Diagnosis(subject, name(), Severity.OK, found, "", "");
  }

  /**
   * Returns that the check found a problem. The values fill the texts of why it matters and what to
   * do.
   */
  public Diagnosis is(Severity severity, String found, Object... values) {
    return new Diagnosis(
        subject, name(), severity, found, why.formatted(values), todo.formatted(values));
  }

  public Diagnosis fault(String found, Object... values) {
    return is(Severity.FAULT, found, values);
  }

  public Diagnosis warning(String found, Object... values) {
    return is(Severity.WARNING, found, values);
  }

  public Diagnosis note(String found, Object... values) {
    return is(Severity.NOTE, found, values);
  }
}
