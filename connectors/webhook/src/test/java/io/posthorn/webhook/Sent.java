package io.posthorn.webhook;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.EnvelopeFormat;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Sends one message and waits for the answer. */
final class Sent {
  private Sent() {}

  /** Configures a webhook to a server on this machine, with short timeouts. */
  static WebhookConfig.Builder to(String url) {
    return WebhookConfig.to(url, EnvelopeFormat.cloudEvents("/tests"))
        .plainHttp()
        .allowNetworks("127.0.0.0/8", "::1")
        .unsigned()
        .timeout(Duration.ofSeconds(3));
  }

  static WebhookConfig.Builder to(int port) {
    return to("http://localhost:" + port + "/hooks");
  }

  static Outcome once(WebhookConfig.Builder config, Message message) {
    try (WebhookConnector connector = new WebhookConnector(config.build())) {
      return once(connector, message);
    }
  }

  static Outcome once(Connector connector, Message message) {
    CompletableFuture<Outcome> answer = new CompletableFuture<>();
    connector.send(List.of(message), (index, outcome) -> answer.complete(outcome));
    return answer.orTimeout(20, TimeUnit.SECONDS).join();
  }

  /** Describes an outcome, for example {@code "Failed HTTP_500"}. */
  static String text(Outcome outcome) {
    if (outcome instanceof Outcome.Failed failed) {
      return "Failed " + failed.reason().code();
    }
    if (outcome instanceof Outcome.Rejected rejected) {
      return "Rejected " + rejected.reason().code();
    }
    if (outcome instanceof Outcome.Unavailable unavailable) {
      return "Unavailable " + unavailable.reason().code();
    }
    return "Sent";
  }
}
