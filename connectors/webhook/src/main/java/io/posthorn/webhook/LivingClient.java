package io.posthorn.webhook;

import java.util.concurrent.CancellationException;

/** The one HTTP client of a webhook, and a new one once it has died. */
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
   * One that is alive, as far as can be known.
   *
   * @throws CancellationException if it is closed
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
