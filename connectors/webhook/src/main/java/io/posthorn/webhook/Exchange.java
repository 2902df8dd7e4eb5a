package io.posthorn.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncResponseConsumer;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response. A success is known as soon as its status is; of any other response
 * a little of the body is read for the reason. Answers once, whatever comes later: the end of the
 * response, a failure, the end of the time.
 */
final class Exchange implements AsyncResponseConsumer<Outcome>, FutureCallback<Outcome> {
  /** What is kept of a body. */
  private static final int KEPT = 500;

  /** A longer body is not read to its end; the connection is dropped instead. */
  private static final int READ = 64 * 1024;

  private final Statuses statuses;
  private final Secrets secrets;
  private final Duration longestRetryAfter;
  private final Runnable heard;
  private final byte[] kept = new byte[KEPT];
  private int read;
  private int status;
  private Duration retryAfter = Duration.ZERO;
  private @Nullable FutureCallback<Outcome> result;
  private @Nullable Consumer<Outcome> answer;
  private @Nullable Future<?> request;
  private @Nullable Future<?> limit;
  private boolean over;

  Exchange(
      Statuses statuses,
      Secrets secrets,
      Duration longestRetryAfter,
      Runnable heard,
      Consumer<Outcome> answer) {
    this.statuses = statuses;
    this.secrets = secrets;
    this.heard = heard;
    this.longestRetryAfter = longestRetryAfter;
    this.answer = answer;
  }

  /** Answers, unless it is answered already. */
  void answer(Outcome outcome) {
    Consumer<Outcome> waiting;
    synchronized (this) {
      waiting = answer;
      answer = null;
    }
    if (waiting != null) {
      waiting.accept(outcome);
    }
  }

  /** Ends it by {@link #outOfTime}. */
  synchronized void limit(Future<?> running) {
    limit = running;
  }

  private synchronized void ended() {
    if (limit != null) {
      limit.cancel(false);
    }
  }

  /** It is under way; what is out of time already is called back. */
  void started(Future<?> running) {
    synchronized (this) {
      request = running;
      if (!over) {
        return;
      }
    }
    running.cancel(true);
  }

  /**
   * Its time is over: it is answered by what is known, and its connection is dropped.
   *
   * @param silence the endpoint answered nothing else either in this time: it is at fault
   */
  void outOfTime(Duration timeout, boolean silence) {
    Future<?> running;
    synchronized (this) {
      over = true;
      running = request;
    }
    Reason reason = Reason.of(Reason.TIMEOUT, "no answer within " + timeout.toMillis() + " ms");
    answer(known(silence ? Outcome.unavailable(reason) : Outcome.failed(reason)));
    if (running != null) {
      running.cancel(true);
    }
  }

  synchronized boolean isOver() {
    return over;
  }

  /** By the status if it came. */
  private synchronized Outcome known(Outcome otherwise) {
    return status == 0 ? otherwise : statuses.outcome(status, text(), retryAfter);
  }

  /** Plain text in one line: what a receiver writes ends up before people's eyes. */
  private String text() {
    String text = new String(kept, 0, Math.min(read, KEPT), UTF_8);
    return secrets.without(text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip());
  }

  // ---- the response, as the client tells of it ----

  @Override
  public void consumeResponse(
      HttpResponse response,
      @Nullable EntityDetails entity,
      HttpContext context,
      FutureCallback<Outcome> callback) {
    Header header = response.getFirstHeader("Retry-After");
    synchronized (this) {
      status = response.getCode();
      retryAfter =
          RetryAfter.parse(
              header == null ? null : header.getValue(), Instant.now(), longestRetryAfter);
      result = callback;
    }
    heard.run();
    if (status / 100 == 2) {
      answer(Outcome.SENT);
    }
    if (entity == null) {
      streamEnd(null);
    }
  }

  @Override
  public void informationResponse(HttpResponse response, HttpContext context) {}

  @Override
  public void updateCapacity(CapacityChannel channel) throws IOException {
    channel.update(READ);
  }

  @Override
  public synchronized void consume(ByteBuffer source) throws IOException {
    int length = source.remaining();
    int more = Math.min(length, Math.max(0, KEPT - read));
    source.get(kept, Math.min(read, KEPT), more);
    source.position(source.limit());
    read += length;
    if (read > READ) {
      throw new IOException("the body of the response is longer than " + READ + " bytes");
    }
  }

  @Override
  public void streamEnd(@Nullable List<? extends Header> trailers) {
    FutureCallback<Outcome> callback;
    synchronized (this) {
      callback = result;
    }
    if (callback != null) {
      callback.completed(known(Outcome.SENT));
    }
  }

  @Override
  public void releaseResources() {}

  // ---- the end, as the client tells of it ----

  @Override
  public void completed(Outcome outcome) {
    ended();
    answer(outcome);
  }

  @Override
  public void failed(Exception cause) {
    ended();
    answer(known(NetworkFailures.CLASSIFIER.classify(cause)));
  }

  @Override
  public void cancelled() {
    ended();
    answer(known(Outcome.unavailable(Reason.of(Reason.UNSERVED, "the webhook is closed"))));
  }
}
