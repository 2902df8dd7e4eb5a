package io.posthorn.core.relay;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.core.trace.LogFields;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Calls the store for a lane. Each call runs on one of the relay's store threads, and its result
 * arrives in the lane's mailbox.
 */
final class StoreCalls {
  private static final Logger LOG = LoggerFactory.getLogger(StoreCalls.class);

  /** Called when the lane is lost; {@code failed} if an error is the reason. */
  interface Lost {
    void accept(String why, boolean failed);
  }

  private final RelayContext context;
  private final Lane lane;
  private final LaneCheck check;
  private final Mailbox mailbox;
  private final Lost lost;
  private final Runnable anyFailed;

  /** When each open call was started. */
  private final Map<Object, Long> open = new ConcurrentHashMap<>();

  /**
   * @param anyFailed called after any call has failed
   */
  StoreCalls(
      RelayContext context,
      Lane lane,
      LaneCheck check,
      Mailbox mailbox,
      Lost lost,
      Runnable anyFailed) {
    this.context = context;
    this.lane = lane;
    this.check = check;
    this.mailbox = mailbox;
    this.lost = lost;
    this.anyFailed = anyFailed;
  }

  /**
   * Starts a call, and always returns true.
   *
   * @param what what the call does, for the log
   * @param failed called instead of {@code then} if the call fails
   */
  <T> boolean run(String what, Supplier<T> work, Consumer<T> then, Runnable failed) {
    return run(what, work, then, failed, refusal -> failed(what, failed, refusal));
  }

  /**
   * Starts a call, and always returns true.
   *
   * @param refused called instead of {@code failed}, and without a pause, if the database refuses
   *     the call for good
   */
  <T> boolean run(
      String what,
      Supplier<T> work,
      Consumer<T> then,
      Runnable failed,
      Consumer<PosthornException> refused) {
    Object call = new Object();
    open.put(call, context.ticker().nanoTime());
    context
        .storeThreads()
        .execute(
            () -> {
              try {
                T result = work.get();
                mailbox.put(() -> then.accept(result));
              } catch (RuntimeException | Error e) {
                mailbox.put(
                    () -> {
                      if (isRefusal(e)) {
                        refused.accept((PosthornException) e);
                      } else {
                        failed(what, failed, e);
                      }
                    });
              } finally {
                open.remove(call);
              }
            });
    return true;
  }

  private static boolean isRefusal(Throwable e) {
    return e instanceof PosthornException p && p.code() == ErrorCode.STORE_REFUSED;
  }

  /** Logs that the database refuses what was to be written about this message. */
  void refused(TrackedDelivery tracked, PosthornException refusal) {
    log(context.warnOnce().warnLevel(lane.destination() + " store a result"))
        .log(
            "Lane {}: a result was not stored: the database refuses it, so the relay stores less about this message: {}. Result: {}. Answer of the database: {}",
            lane,
            LogFields.text(tracked.delivery.message(), lane.destination()),
            Refusals.describe(tracked),
            refusal.getMessage());
  }

  /** Reports that the database refuses this call for good: a person must fix the cause. */
  void stuck(String what, PosthornException refusal) {
    stuck(what, "", refusal);
  }

  void stuck(String what, TrackedDelivery tracked, PosthornException refusal) {
    stuck(
        what, " (" + LogFields.text(tracked.delivery.message(), lane.destination()) + ")", refusal);
  }

  private void stuck(String what, String which, PosthornException refusal) {
    log(context.warnOnce().errorLevel(lane.destination() + " " + what))
        .log(
            "Lane {}: could not {}{}: the database refuses it, and a retry does not help. Messages wait until the cause is fixed: {}",
            lane,
            what,
            which,
            refusal.getMessage());
    Reason why = Refusals.reason(refusal);
    context.observer().on(new Event.StoreRefused(lane.destination(), what, why));
    check.refused(what + which, why);
  }

  /** When the oldest open call began; {@code now} if none is open. */
  long openSince(long now) {
    return open.values().stream().reduce(now, (one, other) -> one - other < 0 ? one : other);
  }

  private void failed(String what, Runnable failed, Throwable e) {
    failed.run();
    anyFailed.run();
    if (e instanceof LaneLostException) {
      lost.accept(String.valueOf(e.getMessage()), false);
    } else if (isRefusal(e)) {
      stuck(what, (PosthornException) e);
    } else if (e instanceof PosthornException p && p.code() == ErrorCode.STORE_FAILED) {
      log(context.warnOnce().warnLevel(lane.destination() + " " + what))
          .log("Lane {}: could not {}; the relay retries: {}", lane, what, e.getMessage());
    } else {
      log(Level.ERROR)
          .setCause(Sanitiser.clean(e))
          .log("Lane {}: could not {}; the relay gives the lane back", lane, what);
      lost.accept(Sanitiser.text(e), true);
    }
  }

  private LoggingEventBuilder log(Level level) {
    return LOG.atLevel(level).addKeyValue(LogFields.DESTINATION, lane.destination());
  }
}
