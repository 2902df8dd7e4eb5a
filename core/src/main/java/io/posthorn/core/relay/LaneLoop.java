package io.posthorn.core.relay;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Head;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.core.store.LaneState;
import io.posthorn.core.store.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One lane at work, on a thread of its own: claim → send in rounds → settle.
 *
 * <p>The loop never waits for the database or a receiver. Claims and settles run on the relay's
 * store threads, at most one of each at a time; answers come from the connector; everything arrives
 * in the mailbox. While one batch is being sent the next page of the window is read, and while one
 * is settled the next is being sent. A settle that ends a window claims the next one in the same
 * transaction.
 *
 * <p>Crash: what was sent and not settled is sent again by the next owner, at most {@code
 * batchSize} messages. Freeze: a send starts only if it would end before the lease does, and the
 * token lets a late settle write nothing.
 */
final class LaneLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(LaneLoop.class);

  /** Parked or decided things are written at least so often, though their batch is not complete. */
  private static final long SETTLE_EVERY = Duration.ofMillis(500).toNanos();

  private static final long LONGEST_WAIT = Duration.ofSeconds(1).toNanos();
  private static final long STORE_PAUSE = Duration.ofMillis(200).toNanos();

  private enum Task {
    CLAIM("claim"),
    READ_AHEAD("read ahead"),
    CLAIM_PARKED("claim parked messages"),
    SETTLE("settle"),
    TELL_BREAKER("tell the breaker's state");

    private final String words;

    Task(String words) {
      this.words = words;
    }
  }

  /** A settle that is under way, or whose answer was lost. */
  private record Pending(Settling what, Settlement settlement) {
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
  private final ClaimLimits limits;
  private final Mailbox mailbox = new Mailbox();
  private final Consumer<LaneLoop> ended;

  /** What this relay has written, or may have: the newest progress must be one of them. */
  private final Set<UUID> written = ConcurrentHashMap.newKeySet();

  private boolean claiming;
  private boolean claimingParked;
  private boolean settling;
  private @Nullable Pending pending;
  private @Nullable Flight parkedFlight;
  private @Nullable UUID progress;
  private boolean wantClaim = true;
  private @Nullable Batch readToEnd;
  private boolean paused;
  private long parkedDueAt = Long.MAX_VALUE;
  private long settledAt;
  private long storeAgainAt;
  private boolean breakerTold;
  private boolean tellingBreaker;
  private boolean draining;
  private boolean over;
  private volatile boolean released;
  private volatile boolean failed;
  private volatile @Nullable Head head;
  private volatile long tick;
  private volatile boolean unreachable;

  LaneLoop(RelayContext context, Destination destination, Lane lane, Consumer<LaneLoop> ended) {
    this.context = context;
    this.destination = destination;
    this.lane = lane;
    this.ended = ended;
    long now = context.ticker().nanoTime();
    this.engine =
        new LaneEngine(destination, context.cipher(), context.observer(), context.random(), now);
    // Two pages make a batch: one is read or settled while the other is being sent.
    this.limits =
        new ClaimLimits(context.config().batchSize() / 2, context.config().batchBytes() / 2);
    this.tick = now;
    this.settledAt = now;
    this.storeAgainAt = now;
  }

  Lane lane() {
    return lane;
  }

  // ---- called by the relay ----

  /** Something may be new in the log. */
  void wake() {
    mailbox.put(() -> wantClaim = true);
  }

  /** Parked messages may be due. */
  void wakeParked() {
    mailbox.put(() -> parkedDueAt = Math.min(parkedDueAt, context.ticker().nanoTime()));
  }

  /** Whether the log may hold something that this lane has not seen. */
  boolean behind(Head now) {
    Head known = head;
    return known == null || now.newsSince(known);
  }

  /** Finish what is on its way, settle it, give the lane back. */
  void drain() {
    mailbox.put(() -> draining = true);
  }

  /** The lease is gone: stop at once, nothing of this lane may be sent any more. */
  void abandon(String why) {
    mailbox.put(() -> lost(why));
  }

  /** When the loop last turned round; a loop that hangs must not keep its lease. */
  long tick() {
    return tick;
  }

  /** The destination does not answer this relay; another might reach it. */
  boolean unreachable() {
    return unreachable;
  }

  /** It was given back. */
  boolean released() {
    return released;
  }

  /** It ended because something is wrong, not because it was asked to. */
  boolean failed() {
    return failed;
  }

  // ---- the loop ----

  @Override
  public void run() {
    mailbox.ownedBy(Thread.currentThread());
    try {
      while (!over) {
        long now = context.ticker().nanoTime();
        tick = now;
        boolean busy = mailbox.drain();
        if (over) {
          break;
        }
        long nextTimeout = engine.timeouts(now);
        engine.setAside(now, context.config().slowAfter());
        busy |= workOnStore(now);
        busy |= send(now);
        if (paused && finished() && now - settledAt > LONGEST_WAIT) {
          // Nothing is under way: forget the rest, and look now and then whether the pause is over.
          engine.forget();
          settledAt = now;
          wantClaim = true;
        }
        if (draining && finished()) {
          release();
          break;
        }
        if (!busy) {
          mailbox.await(waitFor(now, nextTimeout));
        }
      }
    } catch (RuntimeException | Error e) {
      LOG.error("Lane {} stopped by an unexpected error; it will be taken again", lane, e);
      over = true;
      failed = true;
    } finally {
      ended.accept(this);
    }
  }

  private long waitFor(long now, long nextTimeout) {
    long until = Math.min(now + LONGEST_WAIT, nextTimeout);
    if (maySend(now)) {
      until = Math.min(until, engine.dispatchAt(now));
    }
    if (storeAgainAt > now) {
      until = Math.min(until, storeAgainAt);
    } else if (mayClaimParked()) {
      until = Math.min(until, parkedDueAt);
    }
    return until - now;
  }

  private boolean maySend(long now) {
    return !draining && !paused && context.lease().allows(now, destination.sendTimeout());
  }

  private boolean send(long now) {
    if (!maySend(now)) {
      return false;
    }
    List<Slot> round = engine.dispatch(now);
    if (round.isEmpty()) {
      return false;
    }
    List<Message> messages = new ArrayList<>(round.size());
    List<Slot> opened = new ArrayList<>(round.size());
    for (Slot slot : round) {
      try {
        messages.add(engine.open(slot));
        opened.add(slot);
      } catch (RuntimeException e) {
        Reason reason = Reason.of("CIPHER", e);
        mailbox.put(() -> engine.answer(slot, Outcome.failed(reason), now));
      }
    }
    Connector.Answers answers =
        (index, outcome) ->
            mailbox.put(
                () -> engine.answer(opened.get(index), outcome, context.ticker().nanoTime()));
    try {
      destination.connector().send(messages, answers);
    } catch (RuntimeException e) {
      // Those already answered ignore the second answer.
      Outcome outcome = context.classifier().classify(e);
      for (int i = 0; i < opened.size(); i++) {
        answers.answer(i, outcome);
      }
    }
    return true;
  }

  // ---- work on the store ----

  private boolean workOnStore(long now) {
    if (now < storeAgainAt) {
      return false;
    }
    boolean started = tellBreaker();
    started |= settle(now);
    if (draining) {
      return started;
    }
    started |= claim();
    started |= claimParked(now);
    return started;
  }

  private boolean settle(long now) {
    if (settling) {
      return false;
    }
    if (pending == null) {
      pending = worthSettling(now) ? nextSettle() : null;
      if (pending == null) {
        return false;
      }
    }
    // After a failure the same settlement is tried again: it may have been committed, and only that
    // tells.
    Settlement settlement = pending.settlement;
    settling = true;
    claiming = claiming || pending.claims();
    return run(Task.SETTLE, () -> context.store().settle(settlement), this::settled);
  }

  private boolean worthSettling(long now) {
    boolean frontDone = !engine.flights().isEmpty() && engine.flights().peek().complete();
    boolean parkedDone = engine.parkedFlights().stream().anyMatch(Flight::complete);
    boolean stopped = engine.inFlight() == 0 && (engine.breaker().isOpen() || draining || paused);
    return frontDone || parkedDone || stopped || now - settledAt > SETTLE_EVERY;
  }

  private @Nullable Pending nextSettle() {
    Settling what = new Settling(engine);
    if (what.isEmpty() || progress == null) {
      return null;
    }
    boolean claimToo = what.whole() && !claiming && !draining && !engine.breaker().isOpen();
    UUID next = UUID.randomUUID();
    written.add(next);
    return new Pending(what, what.settlement(lane, progress, next, claimToo ? limits : null));
  }

  private void settled(Claim claim) {
    Pending done = Objects.requireNonNull(pending);
    pending = null;
    settling = false;
    settledAt = context.ticker().nanoTime();
    if (done.claims()) {
      claiming = false;
    }
    if (done.log()) {
      progress = done.settlement.next();
    }
    done.what.done(destination.name(), context.observer(), claiming);
    know(claim.state());
    if (claim.batch() != null) {
      take(claim.batch());
    } else if (done.claims()) {
      engine.chains().claimTaken();
    } else if (engine.flights().isEmpty()) {
      // This settle ended the window and did not look for the next one.
      wantClaim = true;
    }
  }

  private boolean claim() {
    if (claiming || (paused && !engine.flights().isEmpty())) {
      return false;
    }
    boolean starved = !engine.hasReady() && engine.inFlight() == 0;
    if (engine.breaker().isOpen() && !starved) {
      return false;
    }
    if (engine.flights().isEmpty()) {
      if (!wantClaim || pending != null) {
        return false;
      }
      claiming = true;
      wantClaim = false;
      return run(Task.CLAIM, () -> context.store().claim(lane, limits), this::claimed);
    }
    return readAhead();
  }

  private boolean readAhead() {
    Batch last = Objects.requireNonNull(engine.flights().peekLast()).batch;
    if (last == null || !last.more() || last == readToEnd) {
      return false;
    }
    int unsettled = engine.flights().stream().mapToInt(flight -> flight.slots.size()).sum();
    if (unsettled + limits.messages() > context.config().batchSize()) {
      return false;
    }
    claiming = true;
    return run(
        Task.READ_AHEAD,
        () -> context.store().readAhead(last, written, limits),
        found -> readOn(last, found));
  }

  private void claimed(Claim claim) {
    claiming = false;
    know(claim.state());
    progress = claim.state().progress();
    if (claim.batch() != null) {
      take(claim.batch());
    } else {
      engine.chains().claimTaken();
    }
  }

  private void readOn(Batch after, Optional<Batch> batch) {
    claiming = false;
    if (batch.isPresent()) {
      engine.take(batch.get());
    } else {
      readToEnd = after;
      engine.chains().claimTaken();
    }
  }

  private void take(Batch batch) {
    progress = batch.progress();
    // Nothing is being read ahead now, so only this one counts.
    written.clear();
    written.add(batch.progress());
    engine.take(batch);
  }

  private void know(LaneState state) {
    head = state.head();
    paused = state.paused();
    Double rate = state.ratePerSecond();
    engine.rate(rate == null ? destination.limit().perSecond() : rate);
    Duration dueIn = state.dueIn();
    parkedDueAt = dueIn == null ? Long.MAX_VALUE : context.ticker().nanoTime() + dueIn.toNanos();
  }

  private boolean mayClaimParked() {
    boolean underWay = parkedFlight != null && engine.parkedFlights().contains(parkedFlight);
    boolean starved = !engine.hasReady() && engine.inFlight() == 0;
    return !claimingParked
        && !underWay
        && !settling
        && !paused
        && !draining
        && (starved || !engine.breaker().isOpen());
  }

  private boolean claimParked(long now) {
    if (now < parkedDueAt || !mayClaimParked()) {
      return false;
    }
    claimingParked = true;
    parkedDueAt = Long.MAX_VALUE;
    return run(
        Task.CLAIM_PARKED,
        () -> context.store().claimParked(lane, limits),
        found -> {
          claimingParked = false;
          if (!found.isEmpty()) {
            parkedFlight = engine.takeParked(found);
          }
        });
  }

  private boolean tellBreaker() {
    Reason reason = engine.breaker().openReason();
    unreachable = reason != null && engine.breaker().failedProbes() >= 3;
    if (tellingBreaker || (reason != null) == breakerTold) {
      return false;
    }
    breakerTold = reason != null;
    tellingBreaker = true;
    return run(
        Task.TELL_BREAKER,
        () -> {
          context.store().breaker(lane, Optional.ofNullable(reason));
          return true;
        },
        done -> tellingBreaker = false);
  }

  /** Runs on a store thread; what comes of it arrives in the mailbox. */
  private <T> boolean run(Task what, Supplier<T> work, Consumer<T> then) {
    context
        .storeThreads()
        .execute(
            () -> {
              try {
                T result = work.get();
                mailbox.put(() -> then.accept(result));
              } catch (RuntimeException | Error e) {
                mailbox.put(() -> storeFailed(what, e));
              }
            });
    return true;
  }

  private void storeFailed(Task what, Throwable e) {
    switch (what) {
      case SETTLE -> {
        settling = false;
        claiming = claiming && !(pending != null && pending.claims());
      }
      case CLAIM, READ_AHEAD -> {
        claiming = false;
        engine.chains().claimTaken();
      }
      case CLAIM_PARKED -> {
        claimingParked = false;
        parkedDueAt = 0;
      }
      case TELL_BREAKER -> {
        tellingBreaker = false;
        breakerTold = !breakerTold;
      }
    }
    wantClaim = true;
    storeAgainAt = context.ticker().nanoTime() + STORE_PAUSE;
    if (e instanceof LaneLostException) {
      lost(String.valueOf(e.getMessage()));
    } else if (e instanceof PosthornException p && p.code() == ErrorCode.STORE_FAILED) {
      LOG.warn("Lane {}: could not {}, trying again: {}", lane, what.words, e.getMessage());
    } else {
      LOG.error("Lane {}: could not {}; giving the lane back", lane, what.words, e);
      failed = true;
      lost(String.valueOf(e.getMessage()));
    }
  }

  // ---- the end ----

  private boolean finished() {
    return engine.inFlight() == 0
        && pending == null
        && !claiming
        && !claimingParked
        && new Settling(engine).isEmpty();
  }

  private void release() {
    over = true;
    try {
      context.store().release(lane);
      released = true;
      context.observer().on(new Event.LaneReleased(destination.name()));
    } catch (PosthornException e) {
      LOG.warn(
          "Lane {} could not be given back; it is free when the lease ends: {}",
          lane,
          e.getMessage());
    }
  }

  private void lost(String why) {
    if (!over) {
      over = true;
      LOG.warn("Lane {} is lost: {}", lane, why);
      context.observer().on(new Event.LaneLost(destination.name(), why));
    }
  }
}
