package io.posthorn.core.bus;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Source;
import io.posthorn.core.trace.LogFields;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * One thread of a subscription: it polls, handles and acknowledges messages in a loop. It never
 * returns a message to the broker. A message that cannot be handled now is kept in hand until it
 * can.
 */
final class SubscriptionThread implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(SubscriptionThread.class);
  private static final Duration POLL = Duration.ofMillis(500);

  private final Source source;
  private final SourceWork.Parts parts;
  private final TransactionSize transactionSize;
  private final boolean first;
  private final Observer observer;
  private final Thread thread;
  private final Backoff restart = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(30));
  private volatile boolean stopping;

  /** The first thread of a subscription checks the source before it opens it. */
  SubscriptionThread(
      Source source,
      SourceWork.Parts parts,
      TransactionSize transactionSize,
      ThreadFactory factory,
      int number) {
    this.source = source;
    this.parts = parts;
    this.transactionSize = transactionSize;
    this.first = number == 1;
    this.observer = parts.observer();
    this.thread = factory.newThread(this);
    thread.setName("posthorn-" + parts.consumer() + "-" + number);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Polls no more. Messages in hand are finished. */
  void stop() {
    stopping = true;
  }

  void awaitEnd(Duration most) throws InterruptedException {
    thread.join(Math.max(1, most.toMillis()));
    if (thread.isAlive()) {
      thread.interrupt();
      thread.join(Duration.ofSeconds(2).toMillis());
    }
  }

  @Override
  public void run() {
    // Only a stop may end this loop: not even an Error while an Error is being reported.
    while (!stopping) {
      try {
        if (first && !restart.begun()) {
          check();
        }
        try (Feed feed = source.open(parts.consumer())) {
          serve(feed);
        }
      } catch (Throwable e) {
        // An interrupt is either a stop, or was caused by a handler.
        afterFailure(e);
      }
    }
  }

  private void serve(Feed feed) throws InterruptedException {
    SourceWork work = new SourceWork(parts, feed);
    Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
    while (!stopping) {
      List<Received> hand = feed.poll(transactionSize.size(), POLL);
      if (hand.isEmpty()) {
        restart.reset();
      }
      while (!hand.isEmpty() && !stopping) {
        List<Received> rest = work.work(hand);
        if (rest.isEmpty() || rest.size() < hand.size()) {
          progress(backoff);
          restart.reset();
        }
        hand = rest;
        if (!hand.isEmpty() && !stopping) {
          waiting(work, backoff, hand);
          hand = feed.keep(hand, backoff.next());
        }
      }
    }
  }

  private void progress(Backoff backoff) {
    if (backoff.begun()) {
      log(Level.INFO).log("Subscription '{}' continues", parts.consumer());
      backoff.reset();
    }
  }

  private void waiting(SourceWork work, Backoff backoff, List<Received> hand) {
    Throwable why = work.why();
    if (!backoff.begun() && why != null) {
      log(Level.WARN)
          .log(
              "Subscription '{}' keeps {} messages in hand, because the database does not accept them: {}",
              parts.consumer(),
              hand.size(),
              Sanitiser.text(why));
    } else if (!backoff.begun()) {
      log(Level.INFO)
          .log(
              "Subscription '{}' keeps {} messages in hand, because it is paused or its handler is unavailable",
              parts.consumer(),
              hand.size());
    }
  }

  private void check() {
    for (Finding finding : source.check(parts.consumer())) {
      log(finding.problem() ? Level.ERROR : Level.INFO)
          .log("Subscription '{}' from {}: {}", parts.consumer(), source.name(), finding);
    }
  }

  private void afterFailure(Throwable failure) {
    if (stopping) {
      return;
    }
    try {
      Duration pause = restart.next();
      if (failure instanceof PosthornException) {
        log(Level.ERROR)
            .log(
                "Subscription '{}' from {} failed and restarts in {}: {}",
                parts.consumer(),
                source.name(),
                pause,
                failure.getMessage());
      } else {
        log(Level.ERROR)
            .setCause(Sanitiser.clean(failure))
            .log(
                "Subscription '{}' from {} failed unexpectedly and restarts in {}",
                parts.consumer(),
                source.name(),
                pause);
      }
      String code =
          failure instanceof PosthornException known ? known.code().name() : Reason.UNKNOWN;
      observer.on(new Event.SubscriptionFailed(parts.consumer(), Reason.of(code, failure)));
      Thread.sleep(pause.toMillis());
    } catch (Throwable evenThis) {
      // Logging or reporting failed, probably for lack of memory; or this is a stop. The next
      // round handles either.
    }
  }

  private LoggingEventBuilder log(Level level) {
    return LOG.atLevel(level).addKeyValue(LogFields.CONSUMER, parts.consumer());
  }
}
