package io.posthorn.webhook;

import io.posthorn.core.error.Sanitiser;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.core5.concurrent.DefaultThreadFactory;
import org.apache.hc.core5.http.nio.AsyncRequestProducer;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.IOReactorStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP client that notices its own death.
 *
 * <p>An Error in one of its threads, for example a lack of memory, ends that thread and with it the
 * whole client, which then never sends again.
 */
final class Client {
  private static final Logger LOG = LoggerFactory.getLogger(Client.class);

  private final CloseableHttpAsyncClient client;
  private volatile boolean ended;

  Client(WebhookConfig config, GuardedResolver resolver) {
    client = Clients.of(config, resolver, threads());
    client.start();
  }

  /** The client's threads end only when the client does, so a thread's end marks it as dead. */
  private ThreadFactory threads() {
    ThreadFactory daemons = new DefaultThreadFactory("posthorn-webhook-io", true);
    return task -> daemons.newThread(() -> run(task));
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.warn("A webhook's HTTP client failed; a new one replaces it", Sanitiser.clean(e));
    } finally {
      ended = true;
    }
  }

  boolean isDead() {
    return ended || client.getStatus().compareTo(IOReactorStatus.ACTIVE) > 0;
  }

  Future<?> execute(AsyncRequestProducer request, Exchange exchange) {
    return client.execute(request, exchange, null, exchange);
  }

  void close() {
    client.close(CloseMode.IMMEDIATE);
  }
}
