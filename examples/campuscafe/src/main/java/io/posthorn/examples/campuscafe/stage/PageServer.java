package io.posthorn.examples.campuscafe.stage;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import tools.jackson.databind.json.JsonMapper;

/** The page of the demo. It is served to this machine only. */
final class PageServer implements AutoCloseable {
  /** A file of the page, and its content type. */
  private record File(String name, String type) {}

  private static final Map<String, File> FILES =
      Map.of(
          "/", new File("index.html", "text/html; charset=utf-8"),
          "/cafe.css", new File("cafe.css", "text/css; charset=utf-8"),
          "/cafe.js", new File("cafe.js", "text/javascript; charset=utf-8"));
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int THREADS = 4;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final PageActions actions;
  private final Show show;
  private final JsonMapper json = new JsonMapper();

  PageServer(Show show, int port) throws IOException {
    this.show = show;
    this.actions = new PageActions(show);
    this.server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:%d/".formatted(server.getAddress().getPort());
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!isOurs(exchange)) {
        send(exchange, FORBIDDEN, "text/plain", "this page is for 127.0.0.1 only");
      } else if (exchange.getRequestMethod().equals("POST")) {
        act(exchange);
      } else {
        show(exchange);
      }
    } catch (RuntimeException e) {
      // Nothing was sent yet, or nobody can be told any more.
      show.event("the page did not answer %s: %s".formatted(exchange.getRequestURI(), e));
      throw e;
    }
  }

  /** Other sites must neither reach this page by a name of theirs, nor press its buttons. */
  private boolean isOurs(HttpExchange exchange) {
    String host = String.valueOf(exchange.getRequestHeaders().getFirst("Host"));
    int port = server.getAddress().getPort();
    boolean named = host.equals("127.0.0.1:" + port) || host.equals("localhost:" + port);
    boolean pressed =
        exchange.getRequestMethod().equals("GET")
            || exchange.getRequestHeaders().containsKey("X-Demo");
    return named && pressed;
  }

  private void act(HttpExchange exchange) throws IOException {
    try {
      String done = actions.act(exchange.getRequestURI());
      send(exchange, OK, "text/plain; charset=utf-8", done);
    } catch (IllegalArgumentException e) {
      send(exchange, BAD_REQUEST, "text/plain; charset=utf-8", String.valueOf(e.getMessage()));
    }
  }

  private void show(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    File file = FILES.get(path);
    if (path.equals("/state")) {
      send(exchange, OK, "application/json", json.writeValueAsString(State.of(show)));
    } else if (path.equals("/mails")) {
      send(exchange, OK, "application/json", json.writeValueAsString(Inboxes.newest(show)));
    } else if (path.startsWith("/logs/")) {
      send(exchange, OK, "text/plain; charset=utf-8", log(path.substring("/logs/".length())));
    } else if (file != null) {
      send(exchange, OK, file.type(), read(file.name()));
    } else {
      send(exchange, NOT_FOUND, "text/plain", "there is nothing at " + path);
    }
  }

  private String log(String service) {
    return show.cafe().services().stream()
        .filter(each -> each.name().equals(service))
        .findFirst()
        .map(ServiceProcess::tail)
        .orElse("there is no such service");
  }

  private static String read(String name) throws IOException {
    try (InputStream in = PageServer.class.getResourceAsStream("/stage/" + name)) {
      if (in == null) {
        throw new IOException("the program has no file " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static void send(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.getResponseHeaders().set("Content-Security-Policy", POLICY);
    exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
