package io.posthorn.spring.connector;

import io.posthorn.core.connector.Connector;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.webhook.WebhookConfig;
import io.posthorn.webhook.WebhookConnector;
import java.util.function.Supplier;

/** Makes webhook connectors. Loaded only if the connector is on the class path. */
final class WebhookMaker {
  static final String NEEDS = "io.posthorn.webhook.WebhookConnector";

  private WebhookMaker() {}

  static Supplier<Connector> connector(
      DestinationProperties.Webhook webhook, EnvelopeFormat envelope, Surroundings around) {
    WebhookConfig.Builder config =
        WebhookConfig.to(webhook.url() == null ? "" : webhook.url(), envelope)
            .timeout(webhook.timeout())
            .connectTimeout(webhook.connectTimeout())
            .maxConnections(webhook.maxConnections())
            .allowNetworks(webhook.allowNetworks().toArray(String[]::new))
            .longestRetryAfter(webhook.longestRetryAfter());
    if (!webhook.secrets().isEmpty()) {
      config.signedWith(webhook.secrets().toArray(String[]::new));
    } else if (webhook.unsigned()) {
      config.unsigned();
    }
    authorize(webhook, config);
    if (webhook.sslBundle() != null) {
      config.tls(around.bundles().getBundle(webhook.sslBundle()).createSslContext());
    }
    if (webhook.plainHttp()) {
      config.plainHttp();
    }
    WebhookConfig built = config.build();
    return () -> new WebhookConnector(built);
  }

  private static void authorize(
      DestinationProperties.Webhook webhook, WebhookConfig.Builder config) {
    String token = webhook.bearerToken();
    String password = webhook.password();
    if (token != null) {
      config.bearer(() -> token);
    } else if (webhook.username() != null) {
      config.basic(webhook.username(), () -> password == null ? "" : password);
    }
  }
}
