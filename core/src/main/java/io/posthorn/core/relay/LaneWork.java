package io.posthorn.core.relay;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Head;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.LaneState;
import io.posthorn.core.store.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A lane's work on the store: claims, reading ahead, settles. Each runs on one of the relay's store
 * threads, and what comes of it arrives in the lane's mailbox. All methods are called on the lane's
 * own thread.
 *
 * <p>Claims and settles lock the lane, so there is one at a time: a second would only occupy a
 * connection, and in a program that freezes it would get the lock when the server ends the first.
 *
 * <p>A settle that ends a window claims the next one in the same transaction. A settle whose answer
 * was lost is tried again as it is: only that tells whether it was committed.
 */
final class LaneWork {
  /** What is decided is written at least so often, though its batch is not complete. */
  private static final long SETTLE_EVERY = Duration.ofMillis(500).toNanos();

  private static final long PAUSE = Duration.ofMillis(200).toNanos();
  private static final long PARKED_PAUSE = Duration.ofSeconds(1).toNanos();

  /** Parked messages are looked for after this time, however late the next one is due. */
  private static final Duration LONGEST_WAIT = Duration.ofDays(1);

  /** A settle that is under way, or whose answer was lost. */
  private record PendingSettle(Settling contents, Settlement settlement) {
    boolean log() {
      return !settlement.batches().isEmpty();
    }

    boolean claims() {
      return log() && settlement.claimNext() != null;
    }
  }

  private final RelayContext context;
  private final Destination destination;
  private final Lane lane;
  private final LaneEngine engine;
  private final StoreCalls calls;
  private final LaneSteering steering;
  private final ClaimLimits limits;
  private final ReadAhead readAhead;
  private final Refusals refusals;

  /** What this relay has written, or may have: the newest progress must be one of them. */
  private final WrittenProgress written = new WrittenProgress();

  private boolean claiming;
  private boolean claimMayWrite;
  private boolean claimingParked;
  private boolean settling;
  private boolean draining;
  private @Nullable PendingSettle pending;
  private @Nullable TrackedBatch parkedBatch;
  private @Nullable UUID progress;
  private boolean wantClaim = true;
  private boolean hadMessages = true;
  private long parkedDueAt = Long.MAX_VALUE;
  private long parkedRetryAt;
  private long settledAt;
  private long retryAt;
  private volatile @Nullable Head head;
  private volatile long lookedAt;

  LaneWork(
      RelayContext context,
      Destination destination,
      Lane lane,
      LaneEngine engine,
      LaneCheck check,
      Mailbox mailbox,
      StoreCalls.Lost lost) {
    this.context = context;
    this.destination = destination;
    this.lane = lane;
    this.engine = engine;
    this.calls = new StoreCalls(context, lane, mailbox, lost, this::failed);
    this.steering =
        new LaneSteering(context, destination, lane, engine, check, calls, this::resumed);
    // Two pages make a batch: one is read or settled while the other is being sent.
    this.limits =
        new ClaimLimits(context.config().batchSize() / 2, context.config().batchBytes() / 2);
    this.readAhead =
        new ReadAhead(
            context, engine.chains(), calls, mailbox, written, limits, this::takeWhatHasRoom);
    this.refusals = engine.refusals();
    this.settledAt = context.ticker().nanoTime();
    this.retryAt = settledAt;
    this.parkedRetryAt = settledAt;
    this.lookedAt = settledAt;
  }

  /** Starts what can be started now; true if anything was. */
  boolean start(long now) {
    if (now < retryAt) {
      return false;
    }
    refusals.retryStuckIfDue(now);
    boolean started = steering.start();
    if (!draining && !engine.logBatches().isEmpty()) {
      // Before the settle, so that the next page is read at the same time and not by the settle.
      started |= claim();
    }
    // Before the settle, which under load is always worth it: retries must not starve.
    started |= claimParked(now);
    started |= settle(now);
    if (draining && !mustLearnProgress()) {
      return started;
    }
    started |= claim();
    return started;
  }

  private boolean lockingLane() {
    return settling || claimMayWrite || claimingParked;
  }

  /** After a claim whose answer was lost, only another claim tells what a settle stands on. */
  private boolean mustLearnProgress() {
    return progress == null && !new Settling(engine).isEmpty();
  }

  /** When there may be something to start, if nothing else happens before. */
  long nextAt(long now) {
    if (retryAt > now) {
      return retryAt;
    }
    return mayClaimParked() ? Math.max(parkedDueAt, parkedRetryAt) : Long.MAX_VALUE;
  }

  /** It has messages of the log, or is going to look for some. */
  boolean busy() {
    return wantClaim
        || claiming
        || readAhead.active()
        || pending != null
        || !engine.logBatches().isEmpty();
  }

  /** Whether it had messages of the log since this was asked last, or was just taken. */
  boolean hadMessages() {
    boolean had = hadMessages;
    hadMessages = false;
    return had;
  }

  /** Only settles from now on. */
  void drain() {
    draining = true;
    readAhead.forget();
  }

  /** Nothing is under way, and nothing is left to settle. */
  boolean finished() {
    return engine.inFlight() == 0
        && pending == null
        && !claiming
        && !readAhead.active()
        && !claimingParked
        && new Settling(engine).isEmpty();
  }

  /** When the oldest call of the store began that has not come back; now, if there is none. */
  long oldestOpenCall(long now) {
    return calls.openSince(now);
  }

  LaneSteering steering() {
    return steering;
  }

  /** While paused: once nothing is under way, forgets the rest. It is claimed again afterwards. */
  void forgetWhilePaused() {
    readAhead.forget();
    if (finished() && !(engine.logBatches().isEmpty() && engine.parkedBatches().isEmpty())) {
      engine.forget();
    }
  }

  void wantClaim() {
    wantClaim = true;
  }

  /** Somebody may have moved the cursor during the pause (a spill); the claim tells. */
  private void resumed() {
    wantClaim = true;
    boolean settlesNothing = new Settling(engine).isEmpty() && pending == null && !lockingLane();
    if (settlesNothing && engine.logBatches().isEmpty()) {
      progress = null;
    }
  }

  void parkedDue(long now) {
    parkedDueAt = Math.min(parkedDueAt, now);
  }

  /** How far the log reached when this lane last looked. */
  @Nullable Head head() {
    return head;
  }

  /** When this lane last began to look: what was committed before, it has seen or will see. */
  long lookedAt() {
    return lookedAt;
  }

  private boolean settle(long now) {
    // A claim may open a window, which is progress too; a settle must know of it.
    if (lockingLane()) {
      return false;
    }
    if (pending == null) {
      pending = nextSettle(now);
      if (pending == null) {
        return false;
      }
    }
    // After a failure the same settlement is tried again: it may have been committed, and only that
    // tells.
    Settlement settlement = pending.settlement;
    settling = true;
    claiming = claiming || pending.claims();
    if (pending.claims()) {
      lookedAt = context.ticker().nanoTime();
    }
    return calls.run(
        "settle",
        () -> context.store().settle(settlement),
        this::settled,
        this::settleFailed,
        this::settleRefused);
  }

  private @Nullable PendingSettle nextSettle(long now) {
    boolean frontDone = !engine.logBatches().isEmpty() && engine.logBatches().peek().complete();
    boolean parkedDone = engine.parkedBatches().stream().anyMatch(TrackedBatch::complete);
    boolean stopped =
        engine.inFlight() == 0 && (engine.breaker().isOpen() || draining || steering.paused());
    boolean full = !frontDone && engine.waitsForSettle();
    boolean everything = parkedDone || stopped || full || now - settledAt > SETTLE_EVERY;
    boolean worthIt = frontDone && !nextPageIsComing();
    if (progress == null || !(worthIt || everything)) {
      return null;
    }
    Settling contents = new Settling(engine, !everything);
    if (contents.isEmpty()) {
      return null;
    }
    // Not beside parked messages: if nothing is left this settle may be lost in a crash of the
    // server, and what is sent before the next one would be repeated on top of its batch.
    boolean claimToo =
        contents.settlesAll()
            && engine.parkedBatches().isEmpty()
            && !claiming
            && !readAhead.active()
            && !draining
            && !engine.breaker().isOpen();
    UUID next = UUID.randomUUID();
    written.add(next);
    return new PendingSettle(
        contents, contents.settlement(lane, progress, next, claimToo ? limits : null));
  }

  /** One settle for two pages costs as much as for one. */
  private boolean nextPageIsComing() {
    return readAhead.active() && hasRoomFor(limits.messages());
  }

  private void settled(Claim claim) {
    PendingSettle done = Objects.requireNonNull(pending);
    pending = null;
    settling = false;
    settledAt = context.ticker().nanoTime();
    if (done.claims()) {
      claiming = false;
    }
    progress = done.settlement.next();
    readAhead.newestIs(progress);
    done.contents.written(destination.name(), context.observer());
    applyState(claim.state());
    if (claim.batch() != null) {
      take(claim.batch());
    }
    takeWhatHasRoom();
    if (engine.logBatches().isEmpty() && !done.claims()) {
      // This settle ended the window and did not look for the next one.
      wantClaim = true;
    }
  }

  private boolean claim() {
    boolean settleClaims = pending != null && pending.claims();
    if (claiming || settleClaims || (steering.paused() && !engine.logBatches().isEmpty())) {
      return false;
    }
    if (engine.breaker().isOpen() && engine.hasProbe() && !mustLearnProgress()) {
      return false;
    }
    if (engine.logBatches().isEmpty()) {
      if (!wantClaim || pending != null || lockingLane() || readAhead.active()) {
        return false;
      }
      claiming = true;
      claimMayWrite = true;
      wantClaim = false;
      lookedAt = context.ticker().nanoTime();
      return calls.run(
          "claim", () -> context.store().claim(lane, limits), this::claimed, this::claimFailed);
    }
    return readAhead.start(Objects.requireNonNull(engine.logBatches().peekLast()).logBatch);
  }

  private void claimed(Claim claim) {
    claiming = false;
    claimMayWrite = false;
    applyState(claim.state());
    progress = claim.state().progress();
    if (claim.batch() != null) {
      take(claim.batch());
    }
  }

  /** For so many messages more; they have no more than half the bytes of a batch. */
  private boolean hasRoomFor(int messages) {
    long bytes = 0;
    int unsettled = 0;
    for (TrackedBatch batch : engine.logBatches()) {
      unsettled += batch.deliveries.size();
      bytes += batch.bytes;
    }
    return unsettled + messages <= context.config().batchSize()
        && bytes < context.config().batchBytes();
  }

  /**
   * Pages that were read ahead are taken in as soon as there is room: sent before, more could be on
   * its way than may be sent again after a crash.
   */
  private void takeWhatHasRoom() {
    for (ReadAhead.Page page = readAhead.peek(); page != null; page = readAhead.peek()) {
      if (!hasRoomFor(page.batch().deliveries().size())) {
        return;
      }
      engine.take(page.batch(), page.at());
      readAhead.taken();
    }
  }

  private void take(Batch batch) {
    hadMessages = true;
    progress = batch.progress();
    // Nothing is being read ahead now, so only this one counts.
    written.only(batch.progress());
    engine.take(batch, context.ticker().nanoTime());
  }

  private void applyState(LaneState state) {
    head = state.head();
    steering.apply(state.steered());
    Duration dueIn = state.dueIn();
    parkedDueAt =
        dueIn == null ? Long.MAX_VALUE : context.ticker().nanoTime() + boundedNanos(dueIn);
  }

  /** In nanoseconds; a message may be scheduled for later than a long of these reaches. */
  private static long boundedNanos(Duration dueIn) {
    return (dueIn.compareTo(LONGEST_WAIT) < 0 ? dueIn : LONGEST_WAIT).toNanos();
  }

  private boolean mayClaimParked() {
    boolean inMemory =
        parkedBatch != null
            && engine.parkedBatches().contains(parkedBatch)
            && !refusals.allStuck(parkedBatch);
    boolean starved = !engine.hasReady() && engine.inFlight() == 0;
    return !lockingLane()
        && !inMemory
        && !steering.paused()
        && !draining
        && (starved || !engine.breaker().isOpen());
  }

  private boolean claimParked(long now) {
    if (now < parkedDueAt || now < parkedRetryAt || !mayClaimParked()) {
      return false;
    }
    claimingParked = true;
    parkedDueAt = Long.MAX_VALUE;
    return calls.run(
        "claim parked messages",
        () -> context.store().claimParked(lane, limits),
        found -> {
          claimingParked = false;
          if (!found.isEmpty()) {
            parkedBatch = engine.takeParked(found);
            if (parkedBatch == null) {
              // They wait for a settle, or for an answer: asked at once, they would be found again.
              parkedDueAt = context.ticker().nanoTime();
              parkedRetryAt = parkedDueAt + PAUSE;
            } else if (refusals.anyStuck()) {
              // It is found again and again.
              parkedRetryAt = context.ticker().nanoTime() + PARKED_PAUSE;
            }
          }
        },
        this::claimParkedFailed);
  }

  // ---- what could not be done ----

  private void failed() {
    wantClaim = true;
    retryAt = context.ticker().nanoTime() + PAUSE;
  }

  private void settleFailed() {
    settling = false;
    claiming = claiming && !(pending != null && pending.claims());
  }

  /** Nothing of it is written, unless an earlier try of the very same was. */
  private void settleRefused(PosthornException refusal) {
    PendingSettle refused = Objects.requireNonNull(pending);
    settleFailed();
    if (refused.settlement.claimNext() != null) {
      // What it was to claim may be what is refused. A claim of its own finds a way around that.
      pending = new PendingSettle(refused.contents, refused.settlement.withoutClaim());
      return;
    }
    List<TrackedDelivery> withMoves = refused.contents.withMoves();
    if (withMoves.isEmpty()) {
      // No message is at fault, so there is nothing to leave out. The same again, not at once.
      failed();
      calls.stuck("settle", refusal);
      return;
    }
    pending = null;
    if (withMoves.size() == 1) {
      calls.refused(withMoves.get(0), refusal);
    }
    if (refusals.refused(withMoves, context.ticker().nanoTime())) {
      calls.stuck("settle message", withMoves.get(0), refusal);
    }
  }

  private void claimFailed() {
    claimMayWrite = false;
    // It may have opened a window all the same.
    progress = null;
    claiming = false;
  }

  private void claimParkedFailed() {
    claimingParked = false;
    parkedDueAt = context.ticker().nanoTime();
    // Later than the next settle: what keeps these from being read must not keep it waiting.
    parkedRetryAt = parkedDueAt + PARKED_PAUSE;
  }
}
