package io.posthorn.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import java.io.IOException;
import java.net.SocketTimeoutException;
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
 * One request and its response.
 *
 * <p>A success is known as soon as the status is. Of any other response, the start of the body is
 * read for the reason. The exchange answers once; whatever happens afterwards is ignored: the end
 * of the response, a failure, a timeout.
 */
final class Exchange implements AsyncResponseConsumer<Outcome>, FutureCallback<Outcome> {
  /** How many bytes of a body are kept. */
  private static final int KEPT = 500;

  /** How long the body of a success may take; then it is dropped together with its connection. */
  private static final Duration BODY_LIMIT = Duration.ofSeconds(1);

  /** Runs an action after a delay. */
  interface Timer {
    Future<?> after(Duration time, Runnable action);
  }

  private final Statuses statuses;
  private final Secrets secrets;
  private final Duration longestRetryAfter;
  private final Timer timer;
  private final Runnable onResponse;
  private final byte[] kept = new byte[KEPT];
  private int read;
  private int status;
  private Duration retryAfter = Duration.ZERO;
  private @Nullable FutureCallback<Outcome> result;
  private @Nullable Consumer<Outcome> answer;
  private @Nullable Future<?> request;
  private @Nullable Future<?> limit;
  private @Nullable Runnable onTimeout;
  private @Nullable Client client;
  private boolean over;

  Exchange(
      Statuses statuses,
      Secrets secrets,
      Duration longestRetryAfter,
      Timer timer,
      Runnable onResponse,
      Consumer<Outcome> answer) {
    this.statuses = statuses;
    this.secrets = secrets;
    this.timer = timer;
    this.onResponse = onResponse;
    this.longestRetryAfter = longestRetryAfter;
    this.answer = answer;
  }

  /** Answers the message, unless it is already answered. */
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

  /**
   * Sets the scheduled timeout, which is cancelled when the exchange ends.
   *
   * @param action what the timeout runs
   */
  synchronized void limit(Future<?> running, Runnable action) {
    limit = running;
    onTimeout = action;
  }

  /** Sets the client that sends the request. */
  synchronized void sentBy(Client sending) {
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

  /** Notes the running request, and cancels it if the exchange is already over. */
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
   * Ends the exchange at its timeout: answers with what is known, and drops the connection.
   *
   * @param silence whether the endpoint sent no other response in this time either, so that it is
   *     at fault
   */
  void timedOut(Duration timeout, boolean silence) {
    synchronized (this) {
      over = true;
    }
    Reason reason = Reason.of(Reason.TIMEOUT, "no answer within " + timeout.toMillis() + " ms");
    boolean receiverAtFault = silence || clientDied();
    answer(byStatus(receiverAtFault ? Outcome.unavailable(reason) : Outcome.failed(reason)));
    drop();
  }

  /** Cancels the request of an answered exchange: nothing more is needed from it. */
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

  /** Returns the outcome for the status, if one arrived, or else the given one. */
  private synchronized Outcome byStatus(Outcome otherwise) {
    return status == 0 ? otherwise : statuses.outcome(status, text(), retryAfter);
  }

  /** Returns the body as one line of plain text, since people will read it. */
  private String text() {
    String text = new String(kept, 0, Math.min(read, KEPT), UTF_8);
    return secrets.without(text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip());
  }

  // ---- the response, as the client reports it ----

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
    onResponse.run();
    if (status / 100 == 2) {
      answer(Outcome.SENT);
    }
    if (entity == null) {
      streamEnd(null);
    } else if (status / 100 == 2) {
      limitBody();
    }
  }

  private synchronized void limitBody() {
    ended();
    try {
      limit = timer.after(BODY_LIMIT, this::drop);
    } catch (RejectedExecutionException closed) {
      // The connector is closing, and closes the client as well.
    }
  }

  @Override
  public void informationResponse(HttpResponse response, HttpContext context) {}

  @Override
  public void updateCapacity(CapacityChannel channel) throws IOException {
    channel.update(BoundedSession.MAX_BYTES);
  }

  @Override
  public synchronized void consume(ByteBuffer source) throws IOException {
    if (over) {
      // The client loses a cancellation that arrives while it takes over a connection.
      throw new IOException("the rest of the response is not read");
    }
    int length = source.remaining();
    int copied = Math.min(length, Math.max(0, KEPT - read));
    source.get(kept, Math.min(read, KEPT), copied);
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
      callback.completed(byStatus(Outcome.SENT));
    }
  }

  @Override
  public void releaseResources() {}

  // ---- the end, as the client reports it ----

  @Override
  public void completed(Outcome outcome) {
    ended();
    answer(outcome);
  }

  @Override
  public void failed(Exception cause) {
    Runnable timeout;
    synchronized (this) {
      timeout = onTimeout;
    }
    // The client waits as long as the scheduled timeout does, and may be the first to give up.
    if (cause.getClass() == SocketTimeoutException.class && timeout != null) {
      ended();
      timeout.run();
    } else {
      failedToSend(cause);
    }
  }

  /** Answers a failure of the client, the network or the receiver; no message causes these. */
  void failedToSend(Throwable cause) {
    ended();
    answer(byStatus(secrets.without(NetworkFailures.SENDING.classify(cause))));
  }

  /** Answers when the request could not be built: the message may be at fault. */
  void failedToBuild(Throwable cause) {
    ended();
    answer(secrets.without(NetworkFailures.BUILDING.classify(cause)));
  }

  @Override
  public void cancelled() {
    ended();
    answer(byStatus(Outcome.unavailable(Reason.of(Reason.UNSERVED, "the webhook is closed"))));
  }
}
