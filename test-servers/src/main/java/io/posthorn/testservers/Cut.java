package io.posthorn.testservers;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A one-time fault of a {@link FaultProxy}; reports whether it has happened. */
public final class Cut {
  private final CompletableFuture<Void> fired = new CompletableFuture<>();
  private final CompletableFuture<Void> settled = new CompletableFuture<>();

  Cut() {}

  /** Returns whether the connection has been cut. */
  public boolean hasFired() {
    return fired.isDone() && !fired.isCancelled();
  }

  /** Returns when the connection has been cut. */
  public void awaitFired(Duration limit) {
    await(fired, "cut the connection", limit);
  }

  /**
   * Returns when, in addition, the server has closed its side. It has then processed everything it
   * was sent, so a test can check what it has committed.
   */
  public void awaitSettled(Duration limit) {
    await(settled, "see the server close the connection it cut", limit);
  }

  void fire() {
    fired.complete(null);
  }

  void settle() {
    settled.complete(null);
  }

  /** Cancels the cut, because another fault replaced it before it fired. */
  void cancel() {
    if (fired.cancel(false)) {
      settled.cancel(false);
    }
  }

  private static void await(CompletableFuture<Void> future, String what, Duration limit) {
    try {
      future.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new TestServerException(
          "the proxy did not %s within %d ms".formatted(what, limit.toMillis()), e);
    } catch (CancellationException e) {
      throw new TestServerException(
          "the proxy was given another fault, or was closed, before it could " + what, e);
    } catch (ExecutionException e) {
      throw new TestServerException("the proxy could not " + what, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestServerException("interrupted while waiting for the proxy", e);
    }
  }
}
