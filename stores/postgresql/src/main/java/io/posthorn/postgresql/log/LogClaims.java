package io.posthorn.postgresql.log;

import io.posthorn.core.message.Key;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.core.store.LaneState;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Settlement;
import io.posthorn.core.store.SteeringState;
import io.posthorn.core.store.Waiting;
import io.posthorn.postgresql.lane.Cursor;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.lane.NewestProgress;
import io.posthorn.postgresql.lane.Progress;
import io.posthorn.postgresql.lane.Snapshot;
import io.posthorn.postgresql.lane.Window;
import io.posthorn.postgresql.message.RowByRow;
import io.posthorn.postgresql.parked.Blocked;
import io.posthorn.postgresql.parked.Edges;
import io.posthorn.postgresql.parked.ParkedWriter;
import io.posthorn.postgresql.route.Routes;
import io.posthorn.postgresql.sql.Database;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Claims and settles on the log. The head of this room explains how and why. */
public final class LogClaims {
  /** The span in seqs from which a window without messages for the destination is stored. */
  private static final long EMPTY_SPAN = 10_000;

  /** The age of the stored progress from which such a window is stored: leaves wait for it. */
  private static final Duration EMPTY_AGE = Duration.ofHours(1);

  private final Database database;
  private final Probe probe;
  private final SteeredReader steering;
  private final Map<String, Routes> routes = new ConcurrentHashMap<>();

  /** Where the next windows of lanes should begin: guesses that each claim checks. */
  private final Map<String, SpeculativeClaim.Start> starts = new ConcurrentHashMap<>();

  public LogClaims(Database database, Probe probe) {
    this.database = database;
    this.probe = probe;
    this.steering = new SteeredReader(database);
  }

  public SteeringState steered(Lane lane) {
    return steering.read(lane);
  }

  private LaneState state(Database.Tx tx, Lane lane, LaneRow row, UUID progress)
      throws SQLException {
    probe.watch(row.now());
    return row.state(lane, steering.read(tx, lane, row), progress);
  }

  /** Whether messages of the log may be claimed now. */
  private boolean mayRead(Database.Tx tx, Lane lane, LaneRow row) throws SQLException {
    return !row.waits() && !steering.read(tx, lane, row).paused();
  }

  public Claim claim(Lane lane, ClaimLimits limits) {
    return RowByRow.ifRefused(
        () -> claim(lane, limits, false), () -> claim(lane, LogReader.rowByRow(limits), true));
  }

  private Claim claim(Lane lane, ClaimLimits limits, boolean rowByRow) {
    return database.transaction(
        "claiming lane " + lane,
        tx -> {
          SpeculativeClaim opening =
              rowByRow
                  ? null
                  : SpeculativeClaim.at(
                      starts.get(lane.toString()), routes.get(lane.destination()), limits);
          LaneRow row = lock(tx, lane, opening);
          if (mayRead(tx, lane, row)) {
            return claim(tx, lane, row, opening, limits, rowByRow);
          }
          starts.remove(lane.toString());
          return new Claim(state(tx, lane, row, row.cursor().id()), null);
        });
  }

  private static LaneRow lock(Database.Tx tx, Lane lane, @Nullable SpeculativeClaim opening)
      throws SQLException {
    return opening == null ? LaneRow.lock(tx, lane) : opening.lock(tx, lane);
  }

  /**
   * Returns a guess for the window after this settlement, if it settles its whole window and the
   * next one is hardly long.
   */
  private static @Nullable SpeculativeClaim afterwards(Settlement settlement) {
    ClaimLimits limits = settlement.claimNext();
    if (limits == null || !settlement.whole() || settlement.batches().isEmpty()) {
      return null;
    }
    LogBatch last = last(settlement);
    Window window = last.window();
    return last.more() || last.deliveries().size() >= SpeculativeClaim.MESSAGES
        ? null
        : SpeculativeClaim.at(
            new SpeculativeClaim.Start(window.s2(), window.low2(), last.buckets()),
            last.routes(),
            limits);
  }

  private static LogBatch last(Settlement settlement) {
    return (LogBatch) settlement.batches().get(settlement.batches().size() - 1);
  }

  private Claim claim(
      Database.Tx tx,
      Lane lane,
      LaneRow row,
      @Nullable SpeculativeClaim opening,
      ClaimLimits limits,
      boolean rowByRow)
      throws SQLException {
    Cursor cursor = row.cursor();
    Routes known = routes(tx, lane, row);
    LogReader reader = new LogReader(tx, lane.destination(), row.buckets(), known, rowByRow);
    Window window = cursor.window();
    if (window != null) {
      Page page = reader.read(window, cursor.last(), cursor.ahead(), limits);
      if (!page.deliveries().isEmpty()) {
        Set<Key> blocked = blocked(tx, lane, row.anyBlocked(), page, rowByRow);
        return claimed(tx, lane, row, page, window, cursor.ahead(), known, cursor.id(), blocked);
      }
    }
    if (window != null && row.rewinding()) {
      UUID id = UUID.randomUUID();
      commitClosed(tx, lane, row, id, window.s2(), window.low2());
      return new Claim(state(tx, lane, row, id), null);
    }
    Window next = row.next(lane);
    Page page = first(reader, next, opening, known, limits);
    UUID id = UUID.randomUUID();
    if (!page.deliveries().isEmpty()) {
      Set<Key> blocked = blocked(tx, lane, row.anyBlocked(), page, rowByRow);
      Progress.commitOpen(tx, lane, id, next, page.start(), List.of());
      return claimed(tx, lane, row, page, next, List.of(), known, id, blocked);
    }
    boolean store =
        window != null
            || next.high2() - next.low1() > EMPTY_SPAN
            || row.progressAt().isBefore(row.at().minus(EMPTY_AGE));
    if (store) {
      commitClosed(tx, lane, row, id, next.s2(), next.low2());
    } else {
      starts.put(
          lane.toString(), new SpeculativeClaim.Start(cursor.s1(), cursor.low1(), row.buckets()));
    }
    return new Claim(state(tx, lane, row, store ? id : cursor.id()), null);
  }

  public List<Batch> readAhead(Batch after, Set<UUID> known, ClaimLimits limits, int most) {
    return RowByRow.ifRefused(
        () -> readAhead(after, known, limits, most, false),
        () -> readAhead(after, known, LogReader.rowByRow(limits), 1, true));
  }

  private List<Batch> readAhead(
      Batch after, Set<UUID> known, ClaimLimits limits, int most, boolean rowByRow) {
    LogBatch before = (LogBatch) after;
    Lane lane = before.lane();
    return database.reads(
        "reading ahead in lane " + lane,
        tx -> {
          LogReader reader =
              new LogReader(tx, lane.destination(), before.buckets(), before.routes(), rowByRow);
          LogReader.Ahead found =
              reader.readAhead(
                  lane, before.window(), before.end(), before.ahead(), limits.times(most));
          NewestProgress newest = found.newest();
          if (newest == null || !known.contains(newest.id())) {
            throw new LaneLostException(lane, "another relay has written its progress");
          }
          if (found.page().deliveries().isEmpty()) {
            return List.of();
          }
          Set<Key> blocked = blocked(tx, lane, newest.anyBlocked(), found.page(), rowByRow);
          List<Batch> batches = new ArrayList<>();
          for (Page page : found.page().cut(limits, most)) {
            batches.add(
                new LogBatch(
                    lane,
                    page,
                    before.window(),
                    before.ahead(),
                    before.buckets(),
                    before.routes(),
                    newest.id(),
                    newest.at(),
                    blocked));
          }
          return batches;
        });
  }

  public Claim settle(Settlement settlement) {
    Lane lane = settlement.lane();
    return database.transaction(
        "settling lane " + lane,
        tx -> {
          SpeculativeClaim opening = afterwards(settlement);
          LaneRow row = lock(tx, lane, opening);
          if (row.cursor().id().equals(settlement.next())) {
            return new Claim(state(tx, lane, row, settlement.next()), null);
          }
          if (!row.cursor().id().equals(settlement.expected())) {
            throw new LaneLostException(lane, "another relay has written its progress");
          }
          LaneRow after = row;
          if (!settlement.moves().isEmpty()) {
            SteeringState steered = steering.read(tx, lane, row);
            ParkedWriter.write(
                tx, lane, settlement.moves().stream().map(move -> asOf(steered, move)).toList());
            if (!row.cached()) {
              Edges.raise(tx, lane, row.buckets(), row.low(), settlement.moves());
            }
            after = row.afterMoves(tx, lane);
          }
          if (settlement.batches().isEmpty()) {
            // Without a row of its own, a repeat could not know whether the settle is in, and would
            // remove messages that were parked again under the same id.
            Progress.commitSame(tx, lane, settlement.next(), row.cursor(), row.progressAt());
            return new Claim(state(tx, lane, after, settlement.next()), null);
          }
          return progress(tx, settlement, after, opening);
        });
  }

  /**
   * Corrects a move that parks a message as paused if its type has been resumed in the meantime:
   * the person who resumed it has woken all waiting messages and did not know of this one.
   */
  private static Move asOf(SteeringState steered, Move move) {
    if (move instanceof Move.Park park
        && park.waiting() == Waiting.PAUSED
        && !steered.pausesType(park.delivery().message())) {
      return new Move.Park(
          park.delivery(), Waiting.RETRY, park.attempts(), Duration.ZERO, park.reason());
    }
    return move;
  }

  private Claim progress(
      Database.Tx tx, Settlement settlement, LaneRow row, @Nullable SpeculativeClaim opening)
      throws SQLException {
    Lane lane = settlement.lane();
    Window window = row.cursor().window();
    if (window == null) {
      throw new LaneLostException(lane, "it has no unsettled batch");
    }
    UUID id = settlement.next();
    List<Long> ahead = ahead(row.cursor(), settlement);
    boolean done = settlement.whole() && !last(settlement).more();
    boolean goesOn = !row.rewinding() && !row.cached() && mayRead(tx, lane, row);
    ClaimLimits limits = goesOn ? settlement.claimNext() : null;
    if (!done && (limits == null || !settlement.whole())) {
      Progress.commitOpen(tx, lane, id, window, settlement.last(), ahead);
      return new Claim(state(tx, lane, row, id), null);
    }
    if (limits == null) {
      commitClosed(tx, lane, row, id, window.s2(), window.low2());
      return new Claim(state(tx, lane, row, id), null);
    }
    Routes known = routes(tx, lane, row);
    LogReader reader = new LogReader(tx, lane.destination(), row.buckets(), known);
    if (!done) {
      Page page = reader.read(window, settlement.last(), ahead, limits);
      if (!page.deliveries().isEmpty()) {
        Set<Key> blocked = blocked(tx, lane, row.anyBlocked(), page, false);
        Progress.commitOpen(tx, lane, id, window, settlement.last(), ahead);
        return claimed(tx, lane, row, page, window, ahead, known, id, blocked);
      }
    }
    Window next = row.next(lane);
    Page page = first(reader, next, opening, known, limits);
    if (page.deliveries().isEmpty()) {
      if (settlement.moves().isEmpty()) {
        Progress.commitClosedUnflushed(tx, lane, id, next.s2(), next.low2());
        starts.put(
            lane.toString(), new SpeculativeClaim.Start(next.s2(), next.low2(), row.buckets()));
      } else {
        commitClosed(tx, lane, row, id, next.s2(), next.low2());
      }
      return new Claim(state(tx, lane, row, id), null);
    }
    Set<Key> blocked = blocked(tx, lane, row.anyBlocked(), page, false);
    Progress.commitOpen(tx, lane, id, next, page.start(), List.of());
    return claimed(tx, lane, row, page, next, List.of(), known, id, blocked);
  }

  private void commitClosed(Database.Tx tx, Lane lane, LaneRow row, UUID id, Snapshot s1, long low1)
      throws SQLException {
    Progress.commitClosed(tx, lane, id, s1, low1);
    starts.put(lane.toString(), new SpeculativeClaim.Start(s1, low1, row.buckets()));
  }

  /** Returns the first page of a window. It is empty only if the window is. */
  private static Page first(
      LogReader reader,
      Window next,
      @Nullable SpeculativeClaim opening,
      Routes known,
      ClaimLimits limits)
      throws SQLException {
    Page page = opening == null ? null : opening.read(reader, next, known);
    return page == null ? reader.read(next, 0, List.of(), limits) : page;
  }

  /**
   * Returns the seqs settled above the prefix, by this relay and by the previous owner in this
   * window.
   */
  private static List<Long> ahead(Cursor cursor, Settlement settlement) {
    TreeSet<Long> ahead = new TreeSet<>(settlement.ahead());
    cursor.ahead().stream().filter(seq -> seq > settlement.last()).forEach(ahead::add);
    return List.copyOf(ahead);
  }

  private Claim claimed(
      Database.Tx tx,
      Lane lane,
      LaneRow row,
      Page page,
      Window window,
      List<Long> ahead,
      Routes known,
      UUID progress,
      Set<Key> blocked)
      throws SQLException {
    starts.remove(lane.toString());
    LogBatch batch =
        new LogBatch(lane, page, window, ahead, row.buckets(), known, progress, row.at(), blocked);
    return new Claim(state(tx, lane, row, progress), batch);
  }

  private Routes routes(Database.Tx tx, Lane lane, LaneRow row) throws SQLException {
    Routes cached = routes.get(lane.destination());
    if (cached != null && cached.id().equals(row.routesId())) {
      return cached;
    }
    Routes fresh = Routes.read(tx, lane.destination(), row.routesId());
    routes.put(lane.destination(), fresh);
    return fresh;
  }

  private static Set<Key> blocked(
      Database.Tx tx, Lane lane, boolean any, Page page, boolean oneByOne) throws SQLException {
    if (!any) {
      return Set.of();
    }
    Set<Key> keys = keys(page.deliveries());
    return oneByOne
        ? Blocked.amongOneByOne(tx, lane.destination(), keys)
        : Blocked.among(tx, lane.destination(), keys);
  }

  private static Set<Key> keys(List<Delivery> deliveries) {
    Set<Key> keys = new HashSet<>();
    for (Delivery delivery : deliveries) {
      Key key = delivery.message().key();
      if (key != null) {
        keys.add(key);
      }
    }
    return keys;
  }
}
