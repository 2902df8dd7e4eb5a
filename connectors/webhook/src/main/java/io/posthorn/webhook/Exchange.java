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
import java.util.concurrent.RejectedExecutionException;
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

  /** A success needs no body: one that has not ended by then is dropped with its connection. */
  private static final Duration REST = Duration.ofSeconds(1);

  /** Does something after so much time. */
  interface Timer {
    Future<?> after(Duration time, Runnable action);
  }

  private final Statuses statuses;
  private final Secrets secrets;
  private final Duration longestRetryAfter;
  private final Timer timer;
  private final Runnable heard;
  private final byte[] kept = new byte[KEPT];
  private int read;
  private int status;
  private Duration retryAfter = Duration.ZERO;
  private @Nullable FutureCallback<Outcome> result;
  private @Nullable Consumer<Outcome> answer;
  private @Nullable Future<?> request;
  private @Nullable Future<?> limit;
  private @Nullable Client client;
  private boolean over;

  Exchange(
      Statuses statuses,
      Secrets secrets,
      Duration longestRetryAfter,
      Timer timer,
      Runnable heard,
      Consumer<Outcome> answer) {
    this.statuses = statuses;
    this.secrets = secrets;
    this.timer = timer;
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

  /** What sends it. */
  synchronized void by(Client sending) {
    client = sending;
  }

  private synchronized boolean clientDied() {
    return client != null && client.isDead();
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
    synchronized (this) {
      over = true;
    }
    Reason reason = Reason.of(Reason.TIMEOUT, "no answer within " + timeout.toMillis() + " ms");
    boolean receivers = silence || clientDied();
    answer(known(receivers ? Outcome.unavailable(reason) : Outcome.failed(reason)));
    drop();
  }

  /** It is answered, and what else comes is of no use. */
  private void drop() {
    Future<?> running;
    synchronized (this) {
      over = true;
      running = request;
    }
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
    } else if (status / 100 == 2) {
      limitRest();
    }
  }

  private synchronized void limitRest() {
    ended();
    try {
      limit = timer.after(REST, this::drop);
    } catch (RejectedExecutionException closed) {
      // Then the client is being closed as well.
    }
  }

  @Override
  public void informationResponse(HttpResponse response, HttpContext context) {}

  @Override
  public void updateCapacity(CapacityChannel channel) throws IOException {
    channel.update(BoundedSession.MOST);
  }

  @Override
  public synchronized void consume(ByteBuffer source) throws IOException {
    if (over) {
      // The client loses a cancellation that comes while it takes over a connection.
      throw new IOException("no more of the response is read");
    }
    int length = source.remaining();
    int more = Math.min(length, Math.max(0, KEPT - read));
    source.get(kept, Math.min(read, KEPT), more);
    source.position(source.limit());
    read += length;
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
    broken(cause);
  }

  /** The client, the network or the receiver failed, whatever it threw; no message makes them. */
  void broken(Throwable cause) {
    ended();
    answer(known(secrets.without(NetworkFailures.SENDING.classify(cause))));
  }

  /** There is no request: the message may be at fault. */
  void notMade(Throwable cause) {
    ended();
    answer(secrets.without(NetworkFailures.MAKING.classify(cause)));
  }

  @Override
  public void cancelled() {
    ended();
    answer(known(Outcome.unavailable(Reason.of(Reason.UNSERVED, "the webhook is closed"))));
  }
}
