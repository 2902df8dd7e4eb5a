package io.posthorn.postgresql;

import io.posthorn.core.DatabaseStore;
import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.InboxResult;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.inbox.Receipt;
import io.posthorn.core.inbox.ReceiptQuery;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.archive.Part;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.operate.deadletter.Cause;
import io.posthorn.core.operate.deadletter.CauseNote;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterDetail;
import io.posthorn.core.operate.deadletter.DeadLetterFigures;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.deadletter.Rescued;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.core.operate.figures.Figures;
import io.posthorn.core.operate.id.IdKind;
import io.posthorn.core.operate.id.IdPrefix;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.Preview;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Adoption;
import io.posthorn.core.operate.retention.PurgeProgress;
import io.posthorn.core.operate.retention.PurgeReport;
import io.posthorn.core.operate.retention.RetentionStatus;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.operate.status.Status;
import io.posthorn.core.operate.steering.DestinationCheck;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.ParkedMessage;
import io.posthorn.core.operate.steering.Pause;
import io.posthorn.core.operate.steering.Route;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.operate.story.MessagePage;
import io.posthorn.core.operate.story.MessageQuery;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.ClusterState;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.ErrorMeaning;
import io.posthorn.core.store.Head;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.MessageStory;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Settlement;
import io.posthorn.core.store.Signals;
import io.posthorn.core.store.SteeringState;
import io.posthorn.postgresql.inbox.InboxWriter;
import io.posthorn.postgresql.inbox.ReceiptReader;
import io.posthorn.postgresql.inbox.Replay;
import io.posthorn.postgresql.lane.LaneGrants;
import io.posthorn.postgresql.lane.Membership;
import io.posthorn.postgresql.log.LogClaims;
import io.posthorn.postgresql.log.Probe;
import io.posthorn.postgresql.message.Appender;
import io.posthorn.postgresql.operate.archive.ArchiveNotes;
import io.posthorn.postgresql.operate.archive.ArchiveTable;
import io.posthorn.postgresql.operate.archive.ArchivedLetters;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.operate.deadletter.CauseNotes;
import io.posthorn.postgresql.operate.deadletter.DeadLetterRankings;
import io.posthorn.postgresql.operate.deadletter.DeadLetterReader;
import io.posthorn.postgresql.operate.deadletter.Rescue;
import io.posthorn.postgresql.operate.doctor.Examiner;
import io.posthorn.postgresql.operate.figures.FiguresReader;
import io.posthorn.postgresql.operate.figures.StatusReader;
import io.posthorn.postgresql.operate.operation.OperationBook;
import io.posthorn.postgresql.operate.operation.OperationSteps;
import io.posthorn.postgresql.operate.restore.Adopter;
import io.posthorn.postgresql.operate.restore.Fence;
import io.posthorn.postgresql.operate.restore.UnknownIds;
import io.posthorn.postgresql.operate.retention.Retention;
import io.posthorn.postgresql.operate.retention.RetentionReader;
import io.posthorn.postgresql.operate.retention.Spill;
import io.posthorn.postgresql.operate.steering.BreakerRow;
import io.posthorn.postgresql.operate.steering.CheckRows;
import io.posthorn.postgresql.operate.steering.DestinationReader;
import io.posthorn.postgresql.operate.steering.Pauser;
import io.posthorn.postgresql.operate.steering.Removal;
import io.posthorn.postgresql.operate.steering.Steerer;
import io.posthorn.postgresql.operate.story.IdFinder;
import io.posthorn.postgresql.operate.story.LocationHint;
import io.posthorn.postgresql.operate.story.MessageFinder;
import io.posthorn.postgresql.operate.story.MessageLister;
import io.posthorn.postgresql.parked.ParkedClaims;
import io.posthorn.postgresql.parked.ParkedLister;
import io.posthorn.postgresql.route.Registration;
import io.posthorn.postgresql.route.Unrouted;
import io.posthorn.postgresql.schema.Preflight;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.PostgresqlSanitiserRules;
import io.posthorn.postgresql.sql.PostgresqlStates;
import io.posthorn.postgresql.sql.SqlFailures;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The outbox as a log in PostgreSQL 15 or newer. */
public final class PostgresqlStore implements DatabaseStore {
  /**
   * How long statements of a lane may take. After that the connection counts as dead; by then the
   * lane is lost.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  /** How long a heartbeat may take, so that another attempt fits before the lease ends. */
  private static final Duration HEARTBEAT_PATIENCE = Duration.ofSeconds(8);

  /** The factor for rare statements, which may read much and take longer. */
  private static final int SELDOM = 20;

  static {
    Sanitiser.add(new PostgresqlSanitiserRules());
    Classifier.add(new PostgresqlStates());
  }

  private final DataSource dataSource;
  private final Tables tables;
  private final Database database;
  private final Database answering;
  private final Database seldom;
  private final Appender appender;
  private final InboxWriter inbox;
  private final Membership membership;
  private final LaneGrants grants;
  private final LogClaims claims;
  private final Unrouted unrouted;
  private final OperationSteps operations;
  private final Probe probe;

  PostgresqlStore(DataSource dataSource, Tables tables, Duration patience) {
    this.dataSource = dataSource;
    this.tables = tables;
    this.database = new Database(dataSource, tables.names());
    this.answering = database.answeringWithin(patience);
    this.seldom = database.answeringWithin(patience.multipliedBy(SELDOM));
    Database heartbeat =
        patience.compareTo(HEARTBEAT_PATIENCE) < 0
            ? answering
            : database.answeringWithin(HEARTBEAT_PATIENCE);
    this.appender = new Appender(tables.names());
    this.inbox = new InboxWriter(tables.names());
    this.membership = new Membership(heartbeat);
    this.grants = new LaneGrants(heartbeat);
    this.probe = new Probe(heartbeat);
    this.claims = new LogClaims(answering, probe);
    this.unrouted = new Unrouted(seldom);
    this.operations = new OperationSteps(seldom);
  }

  /** Returns a store on the tables with their default schema and prefix. */
  public static PostgresqlStore on(DataSource dataSource) {
    return on(dataSource, Tables.DEFAULT);
  }

  public static PostgresqlStore on(DataSource dataSource, Tables tables) {
    return new PostgresqlStore(dataSource, tables, PATIENCE);
  }

  @Override
  public void migrate() {
    new Migrations(tables).migrate(dataSource);
  }

  @Override
  public ErrorMeaning meaningOf(SQLException error) {
    return SqlFailures.meaningOf(error);
  }

  @Override
  public void append(
      Connection tx, List<Message> messages, List<String> cipherKeys, boolean ordered) {
    appender.append(tx, messages, cipherKeys, ordered);
  }

  @Override
  public boolean note(Connection tx, UUID id) {
    return appender.note(tx, id);
  }

  @Override
  public InboxResult receive(Connection tx, Consumer consumer, List<Received> messages) {
    return inbox.receive(tx, consumer, messages);
  }

  @Override
  public List<InboxVerdict> handle(Connection tx, Consumer consumer, List<Received> messages) {
    return inbox.handle(tx, consumer, messages);
  }

  @Override
  public InboxResult store(Connection tx, Consumer consumer, List<Received> messages) {
    return inbox.store(tx, consumer, messages);
  }

  @Override
  public InboxResult park(
      Connection tx,
      Consumer consumer,
      Received message,
      Reason reason,
      Duration delay,
      int attempts) {
    return inbox.park(tx, consumer, message, reason, delay, attempts);
  }

  @Override
  public InboxResult parkUnserved(
      Connection tx, Consumer consumer, Received message, Reason reason) {
    return inbox.parkUnserved(tx, consumer, message, reason);
  }

  @Override
  public InboxResult bury(Connection tx, Consumer consumer, Received message, Reason reason) {
    return inbox.bury(tx, consumer, message, reason);
  }

  @Override
  public void seal(Connection tx) {
    inbox.seal(tx);
  }

  @Override
  public boolean once(Connection tx, String consumer, Received message) {
    return inbox.once(tx, consumer, message);
  }

  @Override
  public List<Receipt> receipts(String consumerOrAll, UUID id) {
    return new ReceiptReader(database).find(consumerOrAll, id);
  }

  @Override
  public List<Receipt> receipts(ReceiptQuery query, int limit) {
    return new ReceiptReader(database).list(query, limit);
  }

  @Override
  public long countReceipts(ReceiptQuery query) {
    return new ReceiptReader(database).count(query);
  }

  @Override
  public long replay(ReceiptQuery query, Actor by) {
    return new Replay(database).all(query, by);
  }

  @Override
  public boolean replay(String consumer, UUID id, Actor by) {
    return new Replay(database).one(consumer, id, by);
  }

  @Override
  public void verify(String environment) {
    new Preflight(answering).verify(environment);
  }

  @Override
  public void register(String application, List<ServedDestination> destinations) {
    new Registration(seldom).register(application, destinations);
  }

  @Override
  public void join(RelayIdentity relay, List<ServedDestination> serves, Duration lease) {
    membership.join(relay, serves, lease);
  }

  @Override
  public Optional<ClusterState> beat(RelayIdentity relay, Duration lease) {
    return membership.beat(relay, lease);
  }

  @Override
  public Optional<Lane> take(RelayIdentity relay, String destination, int lane) {
    return grants.take(relay, destination, lane);
  }

  @Override
  public void release(Lane lane) {
    grants.release(lane);
  }

  @Override
  public void leave(RelayIdentity relay) {
    membership.leave(relay);
  }

  @Override
  public Head head() {
    return probe.head();
  }

  @Override
  public Signals look(Collection<String> destinations) {
    return probe.look(destinations);
  }

  @Override
  public SteeringState steered(Lane lane) {
    return claims.steered(lane);
  }

  @Override
  public Claim claim(Lane lane, ClaimLimits limits) {
    return claims.claim(lane, limits);
  }

  @Override
  public List<Batch> readAhead(Batch after, Set<UUID> known, ClaimLimits limits, int most) {
    return claims.readAhead(after, known, limits, most);
  }

  @Override
  public List<Delivery> claimParked(Lane lane, ClaimLimits limits) {
    return new ParkedClaims(answering).claim(lane, limits);
  }

  @Override
  public Claim settle(Settlement settlement) {
    return claims.settle(settlement);
  }

  @Override
  public void breaker(Lane lane, Optional<Reason> open) {
    answering.transaction(
        "noting the breaker of lane " + lane, tx -> BreakerRow.write(tx, lane, open));
  }

  @Override
  public void pause(Lane lane, Reason why) {
    new Pauser(answering).pause(lane, why);
  }

  @Override
  public void checked(Lane lane, List<Finding> findings) {
    new CheckRows(answering).write(lane, findings);
  }

  @Override
  public boolean tendUnrouted(Lane lane, Duration grace, BiConsumer<String, Integer> dead) {
    return unrouted.tend(lane, grace, dead);
  }

  @Override
  public void checkRetention(RetentionTimes times) {
    Retention.check(times);
  }

  @Override
  public PurgeReport purge(RetentionTimes times, Archive archive, PurgeProgress purging) {
    return new Retention(database, times, archive, purging).purge();
  }

  @Override
  public RetentionStatus retentionStatus(RetentionTimes times) {
    return new RetentionReader(database).status(times);
  }

  @Override
  public long spill(String destination, Actor by) {
    return new Spill(database).spill(destination, by);
  }

  @Override
  public Archive archiveTable() {
    return new ArchiveTable(database);
  }

  @Override
  public int restore(Part part, Actor by) {
    return new ArchiveTable(database).restore(part, by);
  }

  @Override
  public int restoreFromTable(List<UUID> letters, Actor by) {
    return new ArchivedLetters(database).restore(letters, by);
  }

  @Override
  public List<UUID> lettersInTable(UUID after, int limit) {
    return new ArchivedLetters(database).list(after, limit);
  }

  @Override
  public boolean forgetArchive(String name, Actor by) {
    return new ArchiveNotes(database, name).forget(by);
  }

  @Override
  public List<DeadLetter> letters(DeadLetterQuery query, @Nullable DeadLetter after, int limit) {
    return new DeadLetterReader(database).list(query, after, limit);
  }

  @Override
  public long countLetters(DeadLetterQuery query) {
    return new DeadLetterReader(database).count(query);
  }

  @Override
  public Optional<DeadLetterDetail> letter(UUID id) {
    return new DeadLetterReader(database).find(id);
  }

  @Override
  public List<Cause> causes(DeadLetterQuery query, int limit) {
    return new DeadLetterRankings(database).causes(query, limit);
  }

  @Override
  public Optional<CauseNote> noteOf(String fingerprint) {
    return new CauseNotes(database).find(fingerprint);
  }

  @Override
  public boolean note(String fingerprint, @Nullable String note, @Nullable String owner, Actor by) {
    return new CauseNotes(database).write(fingerprint, note, owner, by);
  }

  @Override
  public DeadLetterFigures deadLetterFigures(int days) {
    return new DeadLetterRankings(database).figures(days);
  }

  @Override
  public Rescued requeue(List<UUID> letters, Requeue how, Actor by) {
    return new Rescue(database).requeue(letters, how, by);
  }

  @Override
  public Rescued discard(List<UUID> letters, Actor by) {
    return new Rescue(database).discard(letters, by);
  }

  @Override
  public Preview preview(Plan plan) {
    return new OperationBook(database).preview(plan);
  }

  @Override
  public Operation startOperation(Plan plan, Actor by) {
    return new OperationBook(database).start(plan, by);
  }

  @Override
  public Optional<Operation> operation(UUID id) {
    return new OperationBook(database).operation(id);
  }

  @Override
  public List<Operation> operations(int limit) {
    return new OperationBook(database).list(limit);
  }

  @Override
  public boolean stopOperation(UUID id, Actor by) {
    return new OperationBook(database).stop(id, by);
  }

  @Override
  public boolean resumeOperation(UUID id, Actor by) {
    return new OperationBook(database).resume(id, by);
  }

  @Override
  public Duration step(UUID operation) {
    return operations.step(operation);
  }

  @Override
  public Optional<Duration> runOperations() {
    return operations.run();
  }

  @Override
  public List<DestinationStatus> destinations() {
    return new DestinationReader(database).destinations();
  }

  @Override
  public List<DestinationCheck> checks() {
    return new CheckRows(database).read();
  }

  @Override
  public boolean lookAgain(@Nullable String destination) {
    return new CheckRows(database).ask(destination);
  }

  @Override
  public List<Pause> pauses(int limit) {
    return new Pauser(database).list(limit);
  }

  @Override
  public boolean pause(Scope scope, Actor by) {
    return new Pauser(database).pause(scope, by);
  }

  @Override
  public boolean resume(Scope scope, Actor by) {
    return new Pauser(database).resume(scope, by);
  }

  @Override
  public boolean limit(String destination, @Nullable Double perSecond, Actor by) {
    return new Steerer(database).limit(destination, perSecond, by);
  }

  @Override
  public List<ParkedMessage> parked(String destination, @Nullable UUID after, int limit) {
    return new ParkedLister(database, destination).firsts(after, limit);
  }

  @Override
  public List<ParkedMessage> parked(String destination, Key key, @Nullable UUID after, int limit) {
    return new ParkedLister(database, destination).of(key, after, limit);
  }

  @Override
  public int retryNow(String destination, @Nullable Key key, Actor by) {
    return new Steerer(database).retryNow(destination, key, by);
  }

  @Override
  public boolean skip(String destination, UUID message, Actor by) {
    return new Steerer(database).skip(destination, message, by);
  }

  @Override
  public boolean reschedule(String destination, UUID message, Instant at, Actor by) {
    return new Steerer(database).reschedule(destination, message, at, by);
  }

  @Override
  public Optional<String> whereabouts(String destination, UUID message) {
    return new LocationHint(database).find(destination, message);
  }

  @Override
  public boolean release(String destination, Key key, Actor by) {
    return new Steerer(database).release(destination, key, by);
  }

  @Override
  public List<Route> routes(@Nullable String destination) {
    return new DestinationReader(database).routes(destination);
  }

  @Override
  public int narrow(String destination, Set<String> types, @Nullable String application, Actor by) {
    return new Removal(database).narrow(destination, types, application, by);
  }

  @Override
  public long remove(String destination, Actor by) {
    return new Removal(database).remove(destination, by);
  }

  @Override
  public Adoption adoption() {
    return new Adopter(database).look();
  }

  @Override
  public Adoption adopt(String environment, Adopt how, Actor by) {
    return new Adopter(database).adopt(environment, how, by);
  }

  @Override
  public boolean fence(Actor by) {
    return new Fence(database).close(by);
  }

  @Override
  public Set<UUID> unknown(Collection<UUID> ids) {
    return new UnknownIds(database).among(ids);
  }

  @Override
  public List<AuditEntry> audit(long after, int limit) {
    return AuditLog.read(database, after, limit);
  }

  @Override
  public void record(Actor by, String action, String target) {
    AuditLog.record(database, by, action, target);
  }

  @Override
  public List<UUID> ids(IdKind kind, IdPrefix prefix, int most) {
    return new IdFinder(database).find(kind, prefix, most);
  }

  @Override
  public Optional<MessageStory> find(UUID id) {
    return new MessageFinder(database).find(id);
  }

  @Override
  public MessagePage messages(MessageQuery query, @Nullable Long after, int limit) {
    return new MessageLister(database).list(query, after, limit);
  }

  @Override
  public Status status() {
    return new StatusReader(database).status();
  }

  @Override
  public Figures figures(RetentionTimes times) {
    return new FiguresReader(database).figures(times);
  }

  @Override
  public List<Diagnosis> examine(Examination how) {
    return new Examiner(database).examine(how);
  }
}
