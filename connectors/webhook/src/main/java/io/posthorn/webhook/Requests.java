package io.posthorn.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.Envelope;
import io.posthorn.envelope.Transport;
import java.net.URI;
import java.net.URLEncoder;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.Method;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.AsyncRequestProducer;
import org.apache.hc.core5.http.nio.entity.AsyncEntityProducers;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;

/** Builds HTTP requests from messages. */
final class Requests {
  /** Headers that the connection or the connector sets itself. */
  private static final Set<String> RESERVED =
      Set.of(
          "authorization",
          "connection",
          "content-encoding",
          "content-length",
          "cookie",
          "expect",
          "host",
          "keep-alive",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  private final WebhookConfig config;
  private final Secrets secrets;

  Requests(WebhookConfig config, Secrets secrets) {
    this.config = config;
    this.secrets = secrets;
  }

  /** Throws an exception that the classifier knows if the message cannot be sent. */
  AsyncRequestProducer post(Message message) {
    Envelope envelope = config.envelope().envelop(message, Transport.HTTP);
    HttpRequest request = new BasicHttpRequest(Method.POST, address(message));
    envelope
        .headers()
        .forEach(
            (name, value) -> {
              checkName(name);
              request.addHeader(name, value);
            });
    if (!isPrintable(envelope.contentType())) {
      throw new RejectedException(
          Reason.INVALID_HEADER, "the content type of the message is not printable ASCII");
    }
    request.addHeader("content-type", envelope.contentType());
    authorize(request);
    sign(request, message.id().toString(), envelope.body());
    return new BasicRequestProducer(request, AsyncEntityProducers.create(envelope.body(), null));
  }

  /** Asks the endpoint for its options, which changes nothing there. */
  AsyncRequestProducer options() {
    String url = config.url().template();
    URI uri = URI.create(config.url().isFixed() ? url : url.replaceFirst("(//[^/?]+).*", "$1/"));
    HttpRequest request = new BasicHttpRequest(Method.OPTIONS, uri);
    authorize(request);
    return new BasicRequestProducer(request, null);
  }

  private URI address(Message message) {
    String address = config.url().of(message, Requests::segment);
    try {
      return URI.create(address);
    } catch (IllegalArgumentException e) {
      throw new RejectedException(
          Reason.INVALID_ADDRESS,
          "with this message's values, '%s' is not a valid address".formatted(config.url()));
    }
  }

  /** Encodes a message's value so that it stays within its part of the path. */
  private static String segment(String value) {
    if (value.equals(".") || value.equals("..")) {
      throw new RejectedException(
          Reason.INVALID_ADDRESS, "'" + value + "' is not allowed as part of an address");
    }
    return URLEncoder.encode(value, UTF_8).replace("+", "%20").replace("*", "%2A");
  }

  private void authorize(HttpRequest request) {
    Supplier<String> authorization = config.authorization();
    if (authorization != null) {
      String value = CredentialsException.guard("the credentials", authorization);
      if (!isPrintable(value)) {
        throw new CredentialsException("the credentials are not printable ASCII", null);
      }
      secrets.authorization(value);
      request.addHeader("authorization", value);
    }
  }

  private void sign(HttpRequest request, String id, byte[] body) {
    long timestamp = Instant.now().getEpochSecond();
    request.addHeader("webhook-id", id);
    request.addHeader("webhook-timestamp", Long.toString(timestamp));
    List<SigningKey> keys = CredentialsException.guard("the signing keys", config.signingKeys());
    if (!keys.isEmpty()) {
      request.addHeader(
          "webhook-signature",
          keys.stream().map(key -> key.sign(id, timestamp, body)).collect(Collectors.joining(" ")));
    }
  }

  private static void checkName(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (RESERVED.contains(lower) || lower.startsWith("webhook-") || lower.startsWith("proxy-")) {
      throw new RejectedException(
          Reason.INVALID_HEADER,
          "header '%s' cannot be sent by a webhook: the connection sets it itself. Rename the header."
              .formatted(name));
    }
  }

  private static boolean isPrintable(String value) {
    return value.matches("[ -~]*");
  }
}
