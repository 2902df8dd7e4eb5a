package io.posthorn.postgresql.schema;

import static io.posthorn.core.operate.doctor.Subject.DELIVERY;
import static io.posthorn.core.operate.doctor.Subject.RETENTION;
import static io.posthorn.core.operate.doctor.Subject.SERVER;
import static io.posthorn.core.operate.doctor.Subject.TABLES;
import static io.posthorn.core.operate.doctor.Subject.TRANSACTIONS;

import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Severity;
import io.posthorn.core.operate.doctor.Subject;

/** What the doctor looks at: why it matters, and what to do if it is not as it should be. */
public enum DoctorCheck {
  STANDBY(
      SERVER,
      "nothing can be written on a standby, so nothing can be settled",
      "connect to the primary (targetServerType=primary)"),
  SERVER_VERSION(
      SERVER,
      "Posthorn needs PostgreSQL 15 or newer",
      "upgrade the server to PostgreSQL 15 or newer"),
  ENCODING(
      SERVER,
      "a message, a header or an error text with a character that the encoding lacks cannot be stored, and what cannot be stored is not delivered",
      "use a database with the encoding UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0; the data of '%s' move there with pg_dump and pg_restore"),
  READ_ONLY(
      SERVER,
      "nobody can add or settle in a transaction that is read-only",
      "take default_transaction_read_only away from the role, the database or the server"),
  DURABILITY(
      SERVER,
      "a commit that was answered may be lost or half written when the machine dies, and with it what was settled",
      "set fsync and full_page_writes to on"),
  SYNCHRONOUS_COMMIT(
      SERVER,
      "a writer's commits of the last moments may be lost in a crash, with the messages in them; relays set it for themselves",
      "set synchronous_commit to on for the roles that write, or accept it"),
  ASYNCHRONOUS_STANDBY(
      SERVER,
      "after a failover to a standby that was behind, the newest commits are gone, and what was sent of them was sent for nothing",
      "set synchronous_standby_names, or accept it (docs/operate/failover.md)"),
  AUTOVACUUM(
      SERVER,
      "the small tables that change often (leases, parked messages) grow without it, and every look into them slows down",
      "set autovacuum to on, and reset autovacuum_enabled on these tables"),
  STATEMENT_TIMEOUT(
      SERVER,
      "a settle, a page of a large backlog or retention may be cancelled again and again",
      "give the roles of relays and operators at least 5 s: ALTER ROLE … SET statement_timeout = '30s'"),
  IDLE_TRANSACTIONS(
      SERVER,
      "a writer that hangs in a transaction holds back its own messages, vacuum and retention for as long as it hangs; relays set it for themselves",
      "ALTER ROLE … SET idle_in_transaction_session_timeout = '5min' for the roles that write"),
  CONNECTIONS(
      SERVER,
      "a relay that gets no connection loses its lease, and a writer adds nothing",
      "make pools smaller, put a pooler in front, or raise max_connections"),
  CLOCK(
      SERVER,
      "leases and attempts go by the server's clock; occurred-at, scheduled times and the times in ids come from the machines that write",
      "synchronise the clocks of both machines (NTP)"),
  POOLER(
      SERVER,
      "Posthorn keeps no state in a session, so it works; the driver's prepared statements may not",
      "with PgBouncer before 1.21, or without max_prepared_statements, add prepareThreshold=0 to the URL"),
  SIGHT(
      SERVER,
      "this role does not see since when transactions of others are open",
      "GRANT pg_read_all_stats to the role of operators"),
  TABLES_MISSING(
      TABLES,
      "nothing can be added or delivered without Posthorn's tables",
      "check that database, schema and prefix are right, or run 'posthorn schema migrate'"),
  TABLES_OF_ANOTHER_VERSION(TABLES, "this Posthorn works with tables of version %1$s", "%2$s"),
  MISSING_RIGHTS(
      TABLES,
      "what needs them fails at the moment it is needed, which may be months away (TRUNCATE of a leaf)",
      "run what 'posthorn schema grants --%s %s' prints"),
  SEQUENCE_CACHED(
      TABLES,
      "numbers are used in another order than they are drawn, and messages would be lost",
      "run ALTER SEQUENCE %s CACHE 1"),
  LEAVES(
      TABLES,
      "the ring needs all its leaves: on the day of a missing one, no message can be added or settled",
      "attach the missing leaf again: ALTER TABLE … ATTACH PARTITION … FOR VALUES IN (…); the migration has its number ('posthorn schema print')"),
  INDEXES(
      TABLES,
      "the planner does not use an index that is not valid, and the whole log is read instead",
      "REINDEX INDEX CONCURRENTLY %s; or drop it, if it is not one of Posthorn's"),
  ENVIRONMENT_DIFFERS(
      TABLES,
      "a copy must not send what the original sends, and cursors of another server do not fit",
      "%s"),
  CURSOR_AHEAD(
      TABLES,
      "the tables come from another server (a dump, a copy): new messages would be taken for delivered ones, so nothing is sent",
      "decide what was delivered: on a copy, whose original still sends, stop the relays and run 'posthorn adopt --environment NAME --as-sent --why TEXT' as the owner of the tables, which sends nothing of before; for a restored database see docs/guide/restore.md"),
  SEQUENCE_BEHIND(
      TABLES,
      "new messages get numbers that are in use, and would be taken for delivered ones",
      "stop all writers and run SELECT setval('%s', %s); what was written since must be written again"),
  OPEN_TRANSACTION(
      TRANSACTIONS,
      "its own messages wait for its commit; dead rows of all tables stay meanwhile, and a leaf it has touched cannot be emptied",
      "find out what it waits for; SELECT pg_terminate_backend(%s) ends it"),
  PREPARED_TRANSACTION(
      TRANSACTIONS,
      "it outlives its session and restarts: its messages wait, its locks stay, dead rows of all tables stay, and a leaf it has touched cannot be emptied",
      "ask its transaction manager, then COMMIT PREPARED '%1$s' or ROLLBACK PREPARED '%1$s'"),
  REPLICATION_SLOT(
      TRANSACTIONS,
      "the server keeps all write-ahead log since then for it, and may keep dead rows too, until the disk is full",
      "let its reader come back, or SELECT pg_drop_replication_slot('%s')"),
  NOT_SERVED(
      DELIVERY,
      "nobody delivers what is for it",
      "start a relay that has this destination, or see why it does not take it (its log); if nobody wants it any more, 'posthorn destinations remove DESTINATION --why TEXT'"),
  UNROUTED_NOT_SERVED(
      DELIVERY,
      "nobody looks after messages that no route wants: they are neither handed over nor announced, and the log keeps them",
      "start a relay, whatever its destinations: each serves 'unrouted', which is Posthorn's own and stays"),
  LEASE_EXPIRED(
      DELIVERY,
      "the relay was killed, is frozen or cannot reach the database, and no other one stands by",
      "look at the relay; start it, or another one, again"),
  NOBODY_STANDS_BY(
      DELIVERY,
      "while the only relay restarts, nothing is delivered",
      "run a second relay with the same destinations"),
  NO_ROUTES(
      DELIVERY,
      "no message goes to a destination that no route leads to",
      "give it types in its application's configuration, or leave it"),
  TYPE_NOT_SERVED(
      DELIVERY,
      "messages of this type wait, and those of their keys behind them, until a relay runs that has the code",
      "deploy the version that has the code for it (a handler, a route) with every relay of the destination"),
  TYPE_WITHOUT_ROUTE(
      DELIVERY,
      "messages of this type wait for a route for the grace (10 minutes by default) and are then dead, NO_ROUTE",
      "deploy a destination that wants the type: it gets what still waits. For what is dead already: 'posthorn dead requeue --destination unrouted --type TYPE --why TEXT'"),
  DESTINATION_CHECK(
      DELIVERY,
      "its relay says that nothing can be sent there",
      "mend the receiver or the connector's configuration; 'posthorn destinations check %s' looks again"),
  BREAKER(
      DELIVERY,
      "a destination that does not answer gets nothing but a probe now and then; its messages wait, in order",
      "mend the receiver; it goes on by itself. 'posthorn destinations check %s' looks now"),
  PAUSED(
      DELIVERY,
      "nothing is sent until somebody resumes it",
      "'posthorn destinations resume %s --why TEXT', when its reason is gone"),
  HELD_KEYS(
      DELIVERY,
      "everything of these keys waits behind a dead letter until a person acts",
      "'posthorn dead list --destination %1$s'; requeue or discard the letter, or 'posthorn parked release %1$s TYPE/ID --why TEXT'"),
  RETENTION_TIMES(
      RETENTION,
      "the ring has room for %s days, and dead letters are announced %s days before they go: retention refuses anything else",
      "choose a retention of at most %s and a dead-retention of at least %s days"),
  RETENTION_BLOCKED(
      RETENTION,
      "the log grows until the oldest day can be emptied",
      "'posthorn retention show' tells for whom it waits; serve the destination, 'posthorn destinations spill DESTINATION --why TEXT', or end the transaction"),
  LETTERS_EXPIRE(
      RETENTION,
      "dead letters that nobody has done anything about are removed, into the archive if there is one",
      "'posthorn dead groups'; requeue or discard them"),
  NOT_LOOKED_AT(
      SERVER,
      "what was not looked at is not known to be in order",
      "run it as a role that may: 'posthorn schema grants --operator ROLE'");

  private final Subject subject;
  private final String why;
  private final String todo;

  DoctorCheck(Subject subject, String why, String todo) {
    this.subject = subject;
    this.why = why;
    this.todo = todo;
  }

  /** In order. */
  public Diagnosis ok(String found) {
    return new Diagnosis(subject, name(), Severity.OK, found, "", "");
  }

  /** Not as it should be; the values are for what to do. */
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
