package io.posthorn.sight;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Answers with the status that the path begins with, and repeats all it was told. */
final class EchoServer implements AutoCloseable {
  private final HttpServer http;

  EchoServer() {
    try {
      http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    http.createContext("/", EchoServer::answer);
    http.start();
  }

  private static void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    StringBuilder body = new StringBuilder("cannot " + exchange.getRequestURI());
    exchange
        .getRequestHeaders()
        .forEach(
            (name, values) -> {
              if (name.equalsIgnoreCase("authorization")) {
                body.append(" I got ").append(values);
              }
            });
    byte[] bytes = body.toString().getBytes(UTF_8);
    exchange.getResponseHeaders().add("Location", exchange.getRequestURI().toString());
    exchange.sendResponseHeaders(Integer.parseInt(path.substring(1, 4)), bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  int port() {
    return http.getAddress().getPort();
  }

  @Override
  public void close() {
    http.stop(0);
  }
}
