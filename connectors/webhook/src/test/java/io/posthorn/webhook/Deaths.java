package io.posthorn.webhook;

import static io.posthorn.testkit.TestMessages.typed;

import io.posthorn.core.connector.Connector;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Ends a thread of the HTTP client as a lack of memory would: with an Error in a callback. */
final class Deaths {
  private Deaths() {}

  static void die(Connector connector) {
    CompletableFuture<Thread> died = new CompletableFuture<>();
    connector.send(
        List.of(typed("Good", "deadly")),
        (index, outcome) -> {
          died.complete(Thread.currentThread());
          throw new OutOfMemoryError("on purpose, for " + outcome);
        });
    try {
      died.orTimeout(20, TimeUnit.SECONDS).join().join(5_000);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
