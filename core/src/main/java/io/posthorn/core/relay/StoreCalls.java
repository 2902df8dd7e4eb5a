package io.posthorn.core.relay;

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
 * What a lane asks of the store. Each call runs on one of the relay's store threads, and what comes
 * of it arrives in the lane's mailbox.
 */
final class StoreCalls {
  private static final Logger LOG = LoggerFactory.getLogger(StoreCalls.class);

  /** Told when the lane is lost, why, and whether something is wrong with it. */
  interface Lost {
    void accept(String why, boolean failed);
  }

  private final RelayContext context;
  private final Lane lane;
  private final Mailbox mailbox;
  private final Lost lost;
  private final Runnable anyFailed;

  /** When each call that has not come back was asked for. */
  private final Map<Object, Long> open = new ConcurrentHashMap<>();

  /** The last argument is called after whatever failed. */
  StoreCalls(RelayContext context, Lane lane, Mailbox mailbox, Lost lost, Runnable anyFailed) {
    this.context = context;
    this.lane = lane;
    this.mailbox = mailbox;
    this.lost = lost;
    this.anyFailed = anyFailed;
  }

  /**
   * Always true: something was started.
   *
   * @param what for the log: could not …
   * @param failed called instead of {@code then}
   */
  <T> boolean run(String what, Supplier<T> work, Consumer<T> then, Runnable failed) {
    return run(what, work, then, failed, refusal -> failed(what, failed, refusal));
  }

  /**
   * @param refused called if it cannot succeed as it is, instead of {@code failed} and without a
   *     pause
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

  /** What is to be noted of this message is refused; it is tried with less. */
  void refused(TrackedDelivery tracked, PosthornException refusal) {
    log(context.warnOnce().warnLevel(lane.destination() + " note a message"))
        .log(
            "Lane {}: the database refuses what is to be noted of message {}, so less of it is noted. What came of it: {}. What the database says: {}",
            lane,
            tracked.delivery.message().id(),
            Refusals.describe(tracked),
            refusal.getMessage());
  }

  /** No way around it is left: a person has to see to it. */
  void stuck(String what, PosthornException refusal) {
    stuck(what, "", refusal);
  }

  void stuck(String what, TrackedDelivery tracked, PosthornException refusal) {
    stuck(what, " " + tracked.delivery.message().id(), refusal);
  }

  private void stuck(String what, String which, PosthornException refusal) {
    log(context.warnOnce().errorLevel(lane.destination() + " " + what))
        .log(
            "Lane {}: the database refuses for good to {}{}, and messages wait until somebody has seen to it: {}",
            lane,
            what,
            which,
            refusal.getMessage());
    context
        .observer()
        .on(new Event.StoreRefused(lane.destination(), what, Refusals.reason(refusal)));
  }

  /** When the oldest was asked for that has not come back; now, if there is none. */
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
          .log("Lane {}: could not {}, trying again: {}", lane, what, e.getMessage());
    } else {
      log(Level.ERROR)
          .setCause(Sanitiser.clean(e))
          .log("Lane {}: could not {}; giving the lane back", lane, what);
      lost.accept(Sanitiser.text(e), true);
    }
  }

  private LoggingEventBuilder log(Level level) {
    return LOG.atLevel(level).addKeyValue(LogFields.DESTINATION, lane.destination());
  }
}
