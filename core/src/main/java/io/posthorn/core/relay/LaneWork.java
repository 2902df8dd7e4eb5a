package io.posthorn.core.relay;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
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
 * A lane's work on the store: it claims, reads ahead and settles. Each call runs on one of the
 * relay's store threads, and its result arrives in the lane's mailbox. All methods are called on
 * the lane's own thread, apart from those that only read a volatile field.
 *
 * <p>Claims and settles lock the lane's row, so a lane makes one of these calls at a time. A second
 * call would only occupy a connection. In a program that freezes, the second call would even get
 * the lock when the server ends the first.
 *
 * <p>A settle that ends a window claims the next window in the same transaction. A settle whose
 * answer was lost is repeated unchanged: only that shows whether it was committed.
 */
final class LaneWork {
  /** What is decided is settled at least this often, even while its batch is incomplete. */
  private static final long SETTLE_EVERY = Duration.ofMillis(500).toNanos();

  private static final long FAILED_PAUSE = Duration.ofMillis(200).toNanos();

  /** Which call of this lane holds the lock on the lane's row. */
  private enum LaneLock {
    FREE,
    CLAIMING,
    CLAIMING_PARKED,
    RETRYING_FOR_CODE,
    SETTLING
  }

  /** A settle that is running, or whose answer was lost. */
  private record PendingSettle(Settling contents, Settlement settlement) {
    boolean claims() {
      return !settlement.batches().isEmpty() && settlement.claimNext() != null;
    }
  }

  private final RelayContext context;
  private final Destination destination;
  private final Lane lane;
  private final LaneEngine engine;
  private final StoreCalls calls;
  private final LaneSteering steering;
  private final int batchSize;
  private final long batchBytes;
  private final ClaimLimits limits;
  private final ReadAhead readAhead;
  private final ParkedSchedule parked;
  private final Refusals refusals;

  /**
   * The progress ids this relay has written, or may have: the newest progress must be one of them.
   */
  private final WrittenProgress written = new WrittenProgress();

  private LaneLock lock = LaneLock.FREE;
  private boolean draining;
  private @Nullable PendingSettle pending;
  private @Nullable UUID progress;
  private boolean wantClaim = true;
  private boolean wantRetryForCode = true;
  private boolean hadMessages = true;
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
    this.calls = new StoreCalls(context, lane, check, mailbox, lost, this::failed);
    this.steering =
        new LaneSteering(context, destination, lane, engine, check, calls, this::resumed);
    // Two pages make a batch: one is read or settled while the other is being sent.
    // The lanes of a destination divide the batch, so that a crash repeats no more of it with many.
    this.batchSize = Math.max(2, context.config().batchSize() / lane.of());
    this.batchBytes = Math.max(2, context.config().batchBytes() / lane.of());
    this.limits = new ClaimLimits(batchSize / 2, batchBytes / 2);
    this.readAhead =
        new ReadAhead(
            context, engine.chains(), calls, mailbox, written, limits, this::takeWhatHasRoom);
    this.parked = new ParkedSchedule(context.ticker(), engine);
    this.refusals = engine.refusals();
    this.settledAt = context.ticker().nanoTime();
    this.retryAt = settledAt;
    this.lookedAt = settledAt;
  }

  /** Starts every call that can start now; returns true if any did. */
  boolean start(long now) {
    if (now < retryAt) {
      return false;
    }
    refusals.retryStuckIfDue(now);
    boolean started = steering.start();
    takeWhatHasRoom();
    if (!draining && !engine.logBatches().isEmpty()) {
      // Before the settle, so that the next page is read beside the settle and not by it.
      started |= claim();
    }
    // Before the settle, which under load is always due: retries must not starve.
    started |= retryWaitingForCode();
    started |= claimParked(now);
    started |= settle(now);
    if (draining && !mustLearnProgress()) {
      return started;
    }
    started |= claim();
    return started;
  }

  /**
   * After a claim whose answer was lost, only another claim shows which progress a settle needs.
   */
  private boolean mustLearnProgress() {
    return progress == null && !new Settling(engine).isEmpty();
  }

  /** When the next call may be due, if nothing else happens before. */
  long nextAt(long now) {
    if (retryAt > now) {
      return retryAt;
    }
    return mayClaimParked() ? parked.nextAt() : Long.MAX_VALUE;
  }

  /** Whether the lane has messages of the log in memory, or is about to claim some. */
  boolean busy() {
    return wantClaim
        || lock == LaneLock.CLAIMING
        || readAhead.active()
        || pending != null
        || !engine.logBatches().isEmpty();
  }

  /**
   * Whether messages of the log arrived since the last call; true for a lane that was just taken.
   */
  boolean hadMessages() {
    boolean had = hadMessages;
    hadMessages = false;
    return had;
  }

  /** From now on the lane only settles. */
  void drain() {
    draining = true;
    readAhead.forget();
  }

  /** Whether no call is running, no message is in flight and nothing is left to settle. */
  boolean finished() {
    return engine.inFlight() == 0
        && pending == null
        && lock == LaneLock.FREE
        && !readAhead.active()
        && new Settling(engine).isEmpty();
  }

  /** When the oldest call of the store began that has not returned; {@code now} if none is open. */
  long oldestOpenCall(long now) {
    return calls.openSince(now);
  }

  LaneSteering steering() {
    return steering;
  }

  /**
   * Drops what is in memory as soon as nothing is in flight. The lane claims it again after the
   * pause.
   */
  void forgetWhilePaused() {
    readAhead.forget();
    if (finished() && !(engine.logBatches().isEmpty() && engine.parkedBatches().isEmpty())) {
      engine.forget();
    }
  }

  void wantClaim() {
    wantClaim = true;
  }

  /** A spill may have moved the cursor during the pause. The next claim reads where it is. */
  private void resumed() {
    wantClaim = true;
    boolean settlesNothing =
        new Settling(engine).isEmpty() && pending == null && lock == LaneLock.FREE;
    if (settlesNothing && engine.logBatches().isEmpty()) {
      progress = null;
    }
  }

  void parkedDue(long now) {
    parked.dueBy(now);
  }

  /** How far the log reached when this lane last looked. */
  @Nullable Head head() {
    return head;
  }

  /** When the last look at the log began: it finds every message that was committed before. */
  long lookedAt() {
    return lookedAt;
  }

  // ---- settling ----

  private boolean settle(long now) {
    // A running claim may open a window, which writes progress that the settle must know.
    if (lock != LaneLock.FREE) {
      return false;
    }
    if (pending == null) {
      pending = nextSettle(now);
      if (pending == null) {
        return false;
      }
    }
    // After a failure this is the same settlement again, which may have been committed.
    Settlement settlement = pending.settlement;
    lock = LaneLock.SETTLING;
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
    boolean makesWay = parked.makesWay(now);
    boolean everything =
        parkedDone || stopped || full || makesWay || now - settledAt > SETTLE_EVERY;
    boolean worthIt = frontDone && !nextPageIsComing();
    if (progress == null || !(worthIt || everything)) {
      return null;
    }
    Settling contents = new Settling(engine, !everything);
    if (contents.isEmpty()) {
      return null;
    }
    // Not beside parked messages: this settle may be lost in a crash of the server, and what is
    // sent before the next one would then be repeated on top of its own batch. Messages that were
    // set aside were sent before this settle, and are bounded together with its batch.
    boolean claimToo =
        contents.settlesAll()
            && engine.parkedBatches().stream().allMatch(batch -> batch.setAside)
            && !readAhead.active()
            && !makesWay
            && !draining
            && !engine.breaker().isOpen();
    UUID next = UUID.randomUUID();
    written.add(next);
    return new PendingSettle(
        contents, contents.settlement(lane, progress, next, claimToo ? limits : null));
  }

  /** One settle for two pages costs as much as one settle for one page. */
  private boolean nextPageIsComing() {
    return readAhead.active() && hasRoomFor(limits.messages());
  }

  private void settled(Claim claim) {
    PendingSettle done = Objects.requireNonNull(pending);
    pending = null;
    lock = LaneLock.FREE;
    settledAt = context.ticker().nanoTime();
    progress = done.settlement.next();
    readAhead.newestIs(progress);
    done.contents.written(destination.name(), context.observer());
    applyState(claim.state());
    parked.stored();
    if (claim.batch() != null) {
      take(claim.batch());
    }
    takeWhatHasRoom();
    if (engine.logBatches().isEmpty() && !done.claims()) {
      // This settle ended the window and did not claim the next one.
      wantClaim = true;
    }
  }

  private void settleFailed() {
    lock = LaneLock.FREE;
  }

  /** Nothing of this settle is written, unless an earlier try of the same settle was. */
  private void settleRefused(PosthornException refusal) {
    PendingSettle refused = Objects.requireNonNull(pending);
    settleFailed();
    if (refused.settlement.claimNext() != null) {
      // The refusal may concern the claim. A claim of its own finds a way around that.
      pending = new PendingSettle(refused.contents, refused.settlement.withoutClaim());
      return;
    }
    List<TrackedDelivery> withMoves = refused.contents.withMoves();
    if (withMoves.isEmpty()) {
      // No message is at fault, so none can be left out. The same settle is repeated after a pause.
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

  // ---- claiming from the log ----

  /** Claims the next window, or reads on in the open one. */
  private boolean claim() {
    boolean settleClaims = pending != null && pending.claims();
    boolean windowOpen = !engine.logBatches().isEmpty();
    if (lock == LaneLock.CLAIMING || settleClaims || (steering.paused() && windowOpen)) {
      return false;
    }
    if (engine.breaker().isOpen() && engine.hasProbe() && !mustLearnProgress()) {
      return false;
    }
    if (windowOpen) {
      return readAhead.start(Objects.requireNonNull(engine.logBatches().peekLast()).logBatch);
    }
    if (!wantClaim || pending != null || lock != LaneLock.FREE || readAhead.active()) {
      return false;
    }
    lock = LaneLock.CLAIMING;
    wantClaim = false;
    lookedAt = context.ticker().nanoTime();
    return calls.run(
        "claim", () -> context.store().claim(lane, limits), this::claimed, this::claimFailed);
  }

  private void claimed(Claim claim) {
    lock = LaneLock.FREE;
    applyState(claim.state());
    progress = claim.state().progress();
    if (claim.batch() != null) {
      take(claim.batch());
    }
  }

  private void claimFailed() {
    lock = LaneLock.FREE;
    // The claim may have opened a window all the same.
    progress = null;
  }

  /** Whether this many messages may join; pages have at most half the bytes of a batch. */
  private boolean hasRoomFor(int messages) {
    long bytes = 0;
    int unsettled = 0;
    for (TrackedBatch batch : engine.logBatches()) {
      unsettled += batch.deliveries.size();
      bytes += batch.bytes;
    }
    return unsettled + messages <= batchSize && bytes < batchBytes;
  }

  /**
   * Takes in pages that were read ahead as soon as there is room. Sent earlier, they could exceed
   * the number of messages that may be delivered twice after a crash.
   */
  private void takeWhatHasRoom() {
    if (parked.makesWay(context.ticker().nanoTime())) {
      return;
    }
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
    // No page is being read ahead now, so only this id counts.
    written.only(batch.progress());
    engine.take(batch, context.ticker().nanoTime());
  }

  private void applyState(LaneState state) {
    head = state.head();
    steering.apply(state.steered());
    parked.dueIn(state.dueIn());
  }

  // ---- claiming parked messages ----

  private boolean mayClaimParked() {
    boolean starved = !engine.hasReady() && engine.inFlight() == 0;
    // Not before a settle that claims is repeated: it was decided while no parked message was here.
    boolean claimIsRepeated = pending != null && pending.claims();
    return lock == LaneLock.FREE
        && !claimIsRepeated
        && !parked.isLastClaimOpen()
        && !steering.paused()
        && !draining
        && (starved || !engine.breaker().isOpen());
  }

  private boolean claimParked(long now) {
    if (!parked.isDue(now) || !mayClaimParked()) {
      return false;
    }
    lock = LaneLock.CLAIMING_PARKED;
    parked.claimStarted();
    return calls.run(
        "claim parked messages",
        () -> context.store().claimParked(lane, limits),
        this::parkedClaimed,
        this::claimParkedFailed);
  }

  private void parkedClaimed(List<Delivery> found) {
    lock = LaneLock.FREE;
    if (!found.isEmpty()) {
      parked.claimed(engine.takeParked(found));
    } else {
      parked.foundNothing();
    }
  }

  private void claimParkedFailed() {
    lock = LaneLock.FREE;
    parked.claimFailed();
  }

  /** Once, after the first claim: this relay may have code that the lane's last holder lacked. */
  private boolean retryWaitingForCode() {
    if (!wantRetryForCode || lock != LaneLock.FREE || progress == null || draining) {
      return false;
    }
    lock = LaneLock.RETRYING_FOR_CODE;
    wantRetryForCode = false;
    return calls.run(
        "retry messages that wait for code",
        () -> context.store().retryWaitingForCode(lane),
        this::retriedForCode,
        this::retryForCodeFailed,
        this::retryForCodeRefused);
  }

  private void retriedForCode(int messages) {
    lock = LaneLock.FREE;
    if (messages > 0) {
      parkedDue(context.ticker().nanoTime());
    }
  }

  /**
   * Not tried again: it comes before settles, so a call that fails each time would keep the lane
   * from settling. These messages are due within minutes by themselves.
   */
  private void retryForCodeFailed() {
    lock = LaneLock.FREE;
  }

  /** Nothing is lost: these messages are due later. */
  private void retryForCodeRefused(PosthornException refusal) {
    lock = LaneLock.FREE;
    calls.stuck("retry messages that wait for code", refusal);
  }

  /** Any call failed. */
  private void failed() {
    wantClaim = true;
    retryAt = context.ticker().nanoTime() + FAILED_PAUSE;
  }
}
