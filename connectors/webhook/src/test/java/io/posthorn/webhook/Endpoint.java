package io.posthorn.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.testservers.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** A receiver of webhooks: a real HTTP server that responds as the test tells it. */
final class Endpoint implements AutoCloseable {
  static {
    // Without this, each response waits for the client's delayed acknowledgement.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    System.setProperty("sun.net.httpserver.maxReqHeaders", "200");
  }

  /** A received request: headers by lower-case name, and the body. */
  @SuppressWarnings("ArrayRecordComponent") // bodies are bytes
  record Request(String method, String path, Map<String, String> headers, byte[] body) {
    Message message() {
      Key key =
          headers.containsKey("ce-subject") ? Key.of(ce("aggregatetype"), ce("subject")) : null;
      return new Message(
          UUID.fromString(ce("id")),
          false,
          ce("type"),
          Integer.parseInt(ce("schemaversion")),
          key,
          body,
          headers.get("content-type"),
          headers,
          Instant.parse(ce("time")),
          null);
    }

    private String ce(String attribute) {
      return URLDecoder.decode(headers.get("ce-" + attribute).replace("+", "%2B"), UTF_8);
    }
  }

  /** The response to a request: status, headers and body. */
  record Reply(int status, Map<String, String> headers, String body) {
    static Reply of(int status) {
      return new Reply(status, Map.of(), "");
    }
  }

  interface Script {
    Reply reply(Request request);
  }

  final Queue<Request> requests = new ConcurrentLinkedQueue<>();
  private final InetSocketAddress address;
  private final SSLContext tls;
  private final boolean clientCertificate;
  private final ExecutorService threads = Executors.newFixedThreadPool(32);
  private volatile Script script = request -> Reply.of(204);
  private HttpServer server;

  Endpoint() {
    this(null, false);
  }

  Endpoint(SSLContext tls, boolean clientCertificate) {
    this(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.free()),
        tls,
        clientCertificate);
  }

  /** Creates an endpoint on the same port of another address of this machine. */
  Endpoint at(InetAddress host) {
    return new Endpoint(new InetSocketAddress(host, port()), null, false);
  }

  private Endpoint(InetSocketAddress address, SSLContext tls, boolean clientCertificate) {
    this.address = address;
    this.tls = tls;
    this.clientCertificate = clientCertificate;
    start();
  }

  int port() {
    return address.getPort();
  }

  Endpoint reply(Script script) {
    this.script = script;
    return this;
  }

  Endpoint reply(int status) {
    return reply(request -> Reply.of(status));
  }

  /** Returns the accepted messages. */
  List<Message> accepted() {
    return requests.stream()
        .filter(request -> request.method.equals("POST"))
        .map(Request::message)
        .toList();
  }

  synchronized void start() {
    try {
      if (tls == null) {
        server = HttpServer.create(address, 200);
      } else {
        HttpsServer secure = HttpsServer.create(address, 200);
        secure.setHttpsConfigurator(configurator());
        server = secure;
      }
      server.setExecutor(threads);
      server.createContext("/", this::handle);
      server.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private HttpsConfigurator configurator() {
    return new HttpsConfigurator(tls) {
      @Override
      public void configure(HttpsParameters parameters) {
        SSLParameters needed = tls.getDefaultSSLParameters();
        needed.setNeedClientAuth(clientCertificate);
        parameters.setSSLParameters(needed);
      }
    };
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Map<String, String> headers = new HashMap<>();
      Headers given = exchange.getRequestHeaders();
      given.forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
      Request request =
          new Request(
              exchange.getRequestMethod(),
              exchange.getRequestURI().toString(),
              headers,
              exchange.getRequestBody().readAllBytes());
      Reply reply = script.reply(request);
      if (reply.status < 300) {
        requests.add(request);
      }
      reply.headers.forEach(exchange.getResponseHeaders()::set);
      byte[] body = reply.body.getBytes(UTF_8);
      exchange.sendResponseHeaders(reply.status, body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    }
  }

  synchronized void stop() {
    server.stop(0);
  }

  @Override
  public void close() {
    stop();
    threads.shutdownNow();
  }
}
