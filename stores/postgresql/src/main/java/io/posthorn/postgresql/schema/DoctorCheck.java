package io.posthorn.postgresql.schema;

import static io.posthorn.core.operate.doctor.Subject.DELIVERY;
import static io.posthorn.core.operate.doctor.Subject.RETENTION;
import static io.posthorn.core.operate.doctor.Subject.SERVER;
import static io.posthorn.core.operate.doctor.Subject.TABLES;
import static io.posthorn.core.operate.doctor.Subject.TRANSACTIONS;

import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Severity;
import io.posthorn.core.operate.doctor.Subject;

/** The checks of the doctor: for each, why a failure matters and what to do about it. */
public enum DoctorCheck {
  STANDBY(
      SERVER,
      "a standby is read-only: messages can be neither added nor settled there",
      "connect to the primary: add targetServerType=primary to the JDBC URL"),
  SERVER_VERSION(
      SERVER,
      "Posthorn needs PostgreSQL 15 or newer",
      "upgrade the server to PostgreSQL 15 or newer"),
  ENCODING(
      SERVER,
      "this encoding cannot store every character: a message, header or error text with a missing character fails to be written, so its message is not delivered",
      "create a database with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and move the data of '%s' there with pg_dump and pg_restore"),
  READ_ONLY(
      SERVER,
      "transactions start read-only, so messages can be neither added nor settled",
      "reset the setting where it is made: ALTER ROLE …, ALTER DATABASE … or ALTER SYSTEM RESET default_transaction_read_only"),
  DURABILITY(
      SERVER,
      "if the machine crashes, confirmed commits may be lost or half written: messages disappear, are sent again, or the database is damaged",
      "set fsync = on and full_page_writes = on in postgresql.conf, then reload the server"),
  SYNCHRONOUS_COMMIT(
      SERVER,
      "a server crash can lose a writer's last commits, including their messages; relays are not affected, because they set it to on themselves",
      "run ALTER ROLE … SET synchronous_commit = on for the roles that write, or accept the loss"),
  ASYNCHRONOUS_STANDBY(
      SERVER,
      "a failover to a standby that lags loses the newest commits; messages of lost commits may already have been sent",
      "set synchronous_standby_names, or accept the risk (docs/operate/failover.md)"),
  AUTOVACUUM(
      SERVER,
      "without autovacuum, the small tables that change often (leases, parked messages) keep growing, and delivery slows down",
      "set autovacuum and track_counts to on for the server, and run ALTER TABLE … RESET (autovacuum_enabled) for each table named"),
  STATEMENT_TIMEOUT(
      SERVER,
      "the server may cancel settles, reads of a large backlog and retention again and again, so delivery does not progress",
      "allow the roles of relays and operators at least 5 s, for example: ALTER ROLE … SET statement_timeout = '30s'"),
  IDLE_TRANSACTIONS(
      SERVER,
      "a writer that hangs in an open transaction blocks its own messages, vacuum and retention until it ends; relays are not affected, because they set a timeout themselves",
      "run ALTER ROLE … SET idle_in_transaction_session_timeout = '5min' for the roles that write"),
  CONNECTIONS(
      SERVER,
      "when connections run out, writers cannot add messages, and relays lose their leases and stop delivering",
      "make the connection pools smaller, add a pooler such as PgBouncer, or raise max_connections"),
  CLOCK(
      SERVER,
      "leases and retries use the server's clock, while scheduled times, occurred-at and the times in ids come from the writers' clocks: messages may go out too early or too late",
      "synchronise the clocks of both machines with NTP"),
  POOLER(
      SERVER,
      "Posthorn works behind it, because it keeps no state in a session; the driver's prepared statements may fail",
      "with PgBouncer before 1.21, or without max_prepared_statements, add prepareThreshold=0 to the JDBC URL; otherwise there is nothing to do"),
  SIGHT(
      SERVER,
      "the doctor cannot see how long the transactions of other roles have been open, so it cannot find one that blocks delivery or retention",
      "run GRANT pg_read_all_stats TO … for the operator's role"),
  TABLES_MISSING(
      TABLES,
      "without Posthorn's tables, no message can be added or delivered",
      "check the database, schema and prefix you connect with; if they are right, run 'posthorn schema migrate'"),
  TABLES_OF_ANOTHER_VERSION(
      TABLES, "this version of Posthorn works only with tables of version %1$s", "%2$s"),
  MISSING_RIGHTS(
      TABLES,
      "a missing right fails only when it is first used, which may be months from now (for example TRUNCATE of a leaf)",
      "run the SQL that 'posthorn schema grants --%s %s' prints"),
  SEQUENCE_CACHED(
      TABLES,
      "each session takes a block of numbers in advance, so a message can get a number that relays have already passed and would never be delivered",
      "run ALTER SEQUENCE %s CACHE 1"),
  LEAVES(
      TABLES,
      "each day of the ring needs its leaf: on the day of a missing one, no message can be added or settled",
      "attach the leaf again before its day comes: ALTER TABLE … ATTACH PARTITION … FOR VALUES IN (…); 'posthorn schema print' shows its values"),
  INDEXES(
      TABLES,
      "PostgreSQL ignores an invalid index, so queries that need it read whole tables instead",
      "run REINDEX INDEX CONCURRENTLY %s; if the index is not one of Posthorn's, you may drop it instead"),
  ENVIRONMENT_DIFFERS(
      TABLES,
      "a copy must not send the original's messages a second time, and the progress of another server is not valid here",
      "%s"),
  CURSOR_AHEAD(
      TABLES,
      "the tables come from another server (a dump or a copy): new messages would look delivered and be skipped, so relays send nothing from here",
      "if this is a copy and the original still sends: stop the relays here and run 'posthorn adopt --environment NAME --as-sent --why TEXT' as the owner of the tables; it sends none of the earlier messages. If this is a restored database, follow docs/guide/restore.md"),
  SEQUENCE_BEHIND(
      TABLES,
      "new messages get numbers that are already in use, so relays take them for delivered and never send them",
      "stop all writers now, then run SELECT setval('%s', %s); messages added since the sequence fell behind must be added again"),
  OPEN_TRANSACTION(
      TRANSACTIONS,
      "until it ends, its own messages are not delivered, vacuum cannot remove dead rows, and retention cannot empty a leaf that it has touched",
      "find out what it waits for and let it end; if it hangs, SELECT pg_terminate_backend(%s) rolls it back"),
  PREPARED_TRANSACTION(
      TRANSACTIONS,
      "it survives its session and server restarts: until it ends, its messages are not delivered, its locks stay, vacuum cannot remove dead rows, and retention cannot empty a leaf that it has touched",
      "ask its transaction manager how it was decided, then run COMMIT PREPARED '%1$s' or ROLLBACK PREPARED '%1$s'"),
  REPLICATION_SLOT(
      TRANSACTIONS,
      "the server keeps all write-ahead log that the slot has not read, and may keep dead rows too, until the disk is full",
      "restart its consumer; if the consumer is gone for good, run SELECT pg_drop_replication_slot('%s')"),
  NOT_SERVED(
      DELIVERY,
      "messages for this destination are not delivered",
      "start a relay that is configured for it; if one runs already, its log says why it has not taken the destination. If the destination is obsolete, run 'posthorn destinations remove DESTINATION --why TEXT'"),
  UNROUTED_NOT_SERVED(
      DELIVERY,
      "messages without a route are neither handed over to new destinations nor reported as dead letters, and the log cannot be emptied",
      "start a relay, with any destinations: every relay serves 'unrouted', which is built in and cannot be removed"),
  LEASE_EXPIRED(
      DELIVERY,
      "its destinations get no messages: the relay was killed, hangs or cannot reach the database, and no other relay serves them",
      "check the relay's process and its log, then restart it, or start another relay with the same destinations"),
  NOBODY_STANDS_BY(
      DELIVERY,
      "while this relay restarts or is down, these destinations get no messages",
      "run a second relay with the same destinations"),
  NO_ROUTES(
      DELIVERY,
      "a destination without a route gets no messages",
      "configure types for it in its application; if it is meant to get none, there is nothing to do"),
  TYPE_NOT_SERVED(
      DELIVERY,
      "messages of this type, and later messages of their keys, wait until a relay with the code for the type runs",
      "deploy the version that has the code for it (a handler or a route) to every relay of the destination"),
  TYPE_WITHOUT_ROUTE(
      DELIVERY,
      "messages of this type wait 10 minutes for a route, then become dead letters with reason NO_ROUTE",
      "deploy a destination with a route for the type: it gets the messages that still wait. Requeue those that are already dead letters with 'posthorn dead requeue --destination unrouted --type TYPE --why TEXT'"),
  DESTINATION_CHECK(
      DELIVERY,
      "its relay cannot send there, so its messages wait",
      "fix the receiver or the connector's configuration, then check again with 'posthorn destinations check %s'"),
  STORE_REFUSED(
      DELIVERY,
      "the message that it names, and later messages of its key, wait; if it names none, all messages of the destination wait",
      "compare the tables with what 'posthorn schema print' prints, and drop triggers and constraints that are not Posthorn's; see OutboxStoreRefused in docs/operate/runbook.md"),
  BREAKER(
      DELIVERY,
      "its messages wait in order; until it answers, the relay sends only an occasional probe",
      "fix the receiver; delivery resumes by itself. To check at once, run 'posthorn destinations check %s'"),
  PAUSED(
      DELIVERY,
      "no message is sent to it until a person resumes it",
      "when the reason is gone, run 'posthorn destinations resume %s --why TEXT'"),
  HELD_KEYS(
      DELIVERY,
      "all later messages of these keys wait behind a dead letter until a person decides about it",
      "find the letters with 'posthorn dead list --destination %1$s' and requeue or discard them; to let the later messages pass, run 'posthorn parked release %1$s --key TYPE/ID --why TEXT'"),
  RETENTION_TIMES(
      RETENTION,
      "relays and purges refuse these times: the ring has room for %s days, and dead letters must be announced %s days before they are removed",
      "configure a retention of at most %s days and a dead-retention of at least %s days"),
  RETENTION_BLOCKED(
      RETENTION,
      "the log keeps growing until its oldest day can be emptied, and may fill the disk",
      "'posthorn retention show' names what it waits for. For a destination: start its relay, or run 'posthorn destinations spill DESTINATION --why TEXT'. For a transaction: end it"),
  LETTERS_EXPIRE(
      RETENTION,
      "when their time is up, these dead letters are removed; without an archive their messages are lost",
      "see 'posthorn dead groups', then requeue or discard them"),
  NOT_LOOKED_AT(
      SERVER,
      "this part was not checked, so a problem in it would go unnoticed",
      "if a right is missing, run the doctor as a role that has the grants of 'posthorn schema grants --operator ROLE'");

  private final Subject subject;
  private final String why;
  private final String todo;

  DoctorCheck(Subject subject, String why, String todo) {
    this.subject = subject;
    this.why = why;
    this.todo = todo;
  }

  /** Reports that the check passed. */
  public Diagnosis ok(String found) {
    return new Diagnosis(subject, name(), Severity.OK, found, "", "");
  }

  /**
   * Reports a problem.
   *
   * @param found what was found, without a full stop
   * @param values fill the placeholders of the check's texts
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
