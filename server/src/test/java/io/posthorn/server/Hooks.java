package io.posthorn.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.webhook.Incoming;
import io.posthorn.webhook.ReceiverConfig;
import io.posthorn.webhook.WebhookReceiver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Receives webhooks, and keeps those whose signature is right. */
public final class Hooks implements AutoCloseable {
  public static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  private final WebhookReceiver receiver =
      new WebhookReceiver(
          ReceiverConfig.at("test", EnvelopeReader.cloudEvents()).signedWith(SECRET).build());
  private final List<String> types = new CopyOnWriteArrayList<>();
  private final HttpServer server;

  public Hooks() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::receive);
    server.start();
  }

  public String url() {
    return "http://127.0.0.1:%d/hooks".formatted(server.getAddress().getPort());
  }

  /** The types of the messages that arrived and were signed as they should be. */
  public List<String> types() {
    return types;
  }

  private void receive(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    Incoming incoming = receiver.receive(exchange.getRequestHeaders(), body);
    if (incoming instanceof Incoming.Accepted accepted) {
      types.add(accepted.received().message().type());
    }
    exchange.sendResponseHeaders(incoming instanceof Incoming.Accepted ? 204 : 400, -1);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
