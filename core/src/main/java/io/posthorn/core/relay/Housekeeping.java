package io.posthorn.core.relay;

import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.observe.Event;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.retention.PurgeReport;
import io.posthorn.core.operate.retention.RetentionStatus.Unread;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.trace.LogFields;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs retention, for the one relay that owns the lane of unrouted messages. Retention can take
 * long if there is an archive, so it has a thread of its own and delays no delivery.
 */
final class Housekeeping {
  private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
  private static final long FIRST = Duration.ofSeconds(1).toNanos();
  private static final long EVERY = Duration.ofMinutes(30).toNanos();

  private final RelayContext context;
  private final Archive archive;
  private final RetentionTimes times;
  private volatile boolean busy;
  private long nextAt;

  Housekeeping(RelayContext context, Archive archive) {
    this.context = context;
    this.archive = archive;
    this.times = context.config().retentionTimes();
  }

  void soon(long now) {
    nextAt = now + FIRST;
  }

  boolean busy() {
    return busy;
  }

  /** Starts retention if it is due; it ends early when it is no longer wanted. */
  void look(long now, BooleanSupplier wanted) {
    if (busy || now < nextAt) {
      return;
    }
    nextAt = now + EVERY;
    busy = true;
    Thread thread = new Thread(() -> run(wanted), "posthorn-retention");
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (Error e) {
      busy = false;
      throw e;
    }
  }

  private void run(BooleanSupplier wanted) {
    try {
      PurgeReport report = context.store().purge(times, archive, step -> wanted.getAsBoolean());
      report(report);
      if (context.config().diskBudget() < Long.MAX_VALUE && wanted.getAsBoolean()) {
        spill();
      }
    } catch (RuntimeException | Error e) {
      LOG.warn("Retention ended early; the relay retries it later: {}", Sanitiser.text(e));
    } finally {
      busy = false;
    }
  }

  private void report(PurgeReport report) {
    report.emptied().forEach(leaf -> LOG.info("Retention emptied {}", leaf));
    report.waiting().forEach(reason -> LOG.debug("Retention waits: {}", reason));
    if (report.expired() > 0) {
      LOG.info("Retention removed {} dead letters", report.expired());
    }
    report
        .expiring()
        .forEach(
            soon ->
                context
                    .observer()
                    .on(new Event.LettersExpire(soon.destination(), soon.letters(), soon.first())));
  }

  private void spill() {
    long budget = context.config().diskBudget();
    for (Unread unread : context.store().retentionStatus(times).unread()) {
      if (unread.bytes() > budget && !unread.destination().equals(RelayStore.UNROUTED)) {
        Actor why =
            new Actor(
                "retention",
                "it keeps %,d bytes of the log, more than its budget of %,d"
                    .formatted(unread.bytes(), budget));
        long messages = context.store().spill(unread.destination(), why);
        LOG.atWarn()
            .addKeyValue(LogFields.DESTINATION, unread.destination())
            .log(
                "Destination '{}': {}; {} messages were parked",
                unread.destination(),
                why.why(),
                messages);
      }
    }
  }
}
