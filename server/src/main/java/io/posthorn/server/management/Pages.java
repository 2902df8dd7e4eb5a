package io.posthorn.server.management;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.posthorn.server.database.DatabaseState;
import io.posthorn.server.database.Databases;
import java.util.stream.Collectors;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** What the management port answers. */
record Pages(Databases databases, PrometheusMeterRegistry registry) {
  // Prometheus asks for the version of its text format.
  private static final MediaType METRICS =
      MediaType.parseMediaType("text/plain;version=0.0.4;charset=utf-8");

  RouterFunction<ServerResponse> routes() {
    return RouterFunctions.route()
        .GET("/livez", this::live)
        .GET("/readyz", this::ready)
        .GET("/metrics", this::metrics)
        .build();
  }

  /** The process answers; that is all. */
  private ServerResponse live(ServerRequest request) {
    return text(HttpStatus.OK, "live\n");
  }

  /** The names of the databases, and what their relays do, but not why: there is no login here. */
  private ServerResponse ready(ServerRequest request) {
    boolean ready = databases.ready();
    String lines =
        databases.states().stream()
            .map(one -> new DatabaseState(one.name(), one.phase(), null).line() + "\n")
            .collect(Collectors.joining());
    return text(
        ready ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE,
        (ready ? "ready\n" : "not ready\n") + lines);
  }

  private ServerResponse metrics(ServerRequest request) {
    return ServerResponse.ok().contentType(METRICS).body(registry.scrape());
  }

  private static ServerResponse text(HttpStatus status, String text) {
    return ServerResponse.status(status).contentType(MediaType.TEXT_PLAIN).body(text);
  }
}
