package io.posthorn.webhook;

import java.util.concurrent.CancellationException;

/** Holds the webhook's one HTTP client, and replaces it after it has died. */
final class LivingClient {
  private final WebhookConfig config;
  private final GuardedResolver resolver;
  private Client client;
  private boolean closed;

  LivingClient(WebhookConfig config, GuardedResolver resolver) {
    this.config = config;
    this.resolver = resolver;
    this.client = new Client(config, resolver);
  }

  /**
   * Returns a client that is alive, as far as is known.
   *
   * @throws CancellationException if the webhook is closed
   */
  synchronized Client get() {
    if (closed) {
      throw new CancellationException("the webhook is closed");
    }
    if (client.isDead()) {
      Client dead = client;
      client = new Client(config, resolver);
      dead.close();
    }
    return client;
  }

  synchronized void close() {
    closed = true;
    client.close();
  }
}
