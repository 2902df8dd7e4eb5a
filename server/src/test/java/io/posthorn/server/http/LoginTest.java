package io.posthorn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.posthorn.api.security.ApiToken;
import io.posthorn.api.security.Passwords;
import io.posthorn.server.http.RunningServer.Client;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class LoginTest {
  private static final String STATUS = "/api/v1/databases/shop/status";
  private static final String PAUSE = "/api/v1/databases/shop/pauses";
  private static final String PASSWORD = "correct horse battery";
  private static final String TOKEN = ApiToken.generate();
  private static final String EXPIRED = ApiToken.generate();
  private static final String HTTP =
      """
      http:
        port: 0
        users:
          anna:
            password-hash: %s
            roles: {shop: "operator, payload-reader"}
          vic:
            password-hash: %s
            roles: {"*": viewer}
        tokens:
          deploy:
            token-hash: %s
            roles: {shop: operator}
            expires: 2999-01-01
          old:
            token-hash: %s
            roles: {shop: admin}
            expires: 2020-01-01
      """
          .formatted(
              Passwords.hash(PASSWORD),
              Passwords.hash("another password"),
              ApiToken.hashOf(TOKEN),
              ApiToken.hashOf(EXPIRED));

  @TempDir Path directory;

  @Test
  void nothing_is_served_without_a_login() throws Exception {
    try (RunningServer server = new RunningServer(directory, HTTP)) {
      Client client = server.client();
      HttpResponse<String> api = client.get(STATUS);
      assertThat(api.statusCode()).isEqualTo(401);
      assertThat(api.headers().firstValue("content-type"))
          .contains("application/problem+json;charset=UTF-8");
      HttpResponse<String> page = client.get("/anything", "Accept", "text/html");
      assertThat(page.statusCode()).isEqualTo(302);
      assertThat(page.headers().firstValue("location").orElse("")).endsWith("/login");
      assertThat(client.get(STATUS, "Authorization", "Basic YW5uYTp4").statusCode()).isEqualTo(401);
      assertThat(client.get("/actuator").statusCode()).isEqualTo(302);
      assertThat(client.get("/login/../api/v1/databases").statusCode()).isNotEqualTo(200);
      assertThat(client.get("/assets/..%2fapi/v1/databases").statusCode()).isNotEqualTo(200);
    }
  }

  @Test
  void a_user_logs_in_gets_a_new_session_and_may_do_what_their_roles_say() throws Exception {
    try (RunningServer server = new RunningServer(directory, HTTP)) {
      Client client = server.client();
      String before = client.get("/login").headers().firstValue("set-cookie").orElse("");
      assertThat(client.login("anna", "wrong password").headers().firstValue("location").orElse(""))
          .endsWith("/login?error");
      HttpResponse<String> in = client.login("anna", PASSWORD);
      assertThat(in.statusCode()).isEqualTo(302);
      String after = in.headers().firstValue("set-cookie").orElse("");
      assertThat(after)
          .startsWith("posthorn-session=")
          .contains("HttpOnly", "SameSite=Strict")
          .isNotEqualTo(before);
      assertThat(client.get(STATUS).statusCode()).isEqualTo(200);
      assertThat(client.get("/api/v1/databases").body()).contains("shop").doesNotContain("secret");
      assertThat(client.get("/api/v1/databases/secret/status").statusCode()).isEqualTo(404);
      assertThat(
              client
                  .send(
                      "POST",
                      "/logout",
                      "_csrf=" + client.csrf(),
                      "Content-Type",
                      "application/x-www-form-urlencoded")
                  .statusCode())
          .isEqualTo(302);
      assertThat(client.get(STATUS).statusCode()).isEqualTo(401);
    }
  }

  @Test
  void a_change_by_a_session_needs_its_csrf_token_and_one_by_a_token_needs_none() throws Exception {
    try (RunningServer server = new RunningServer(directory, HTTP)) {
      Client client = server.client();
      client.login("anna", PASSWORD);
      String[] json = {"Content-Type", "application/json"};
      assertThat(client.send("POST", PAUSE, "{\"why\":\"x\"}", json).statusCode()).isEqualTo(403);
      HttpResponse<String> paused =
          client.send(
              "POST",
              PAUSE,
              "{\"why\":\"maintenance\"}",
              "Content-Type",
              "application/json",
              "X-CSRF-TOKEN",
              client.csrf());
      assertThat(paused.statusCode()).as(paused.body()).isEqualTo(200);

      Client program = server.client();
      HttpResponse<String> resumed =
          program.send(
              "POST",
              PAUSE + "/resume",
              "{\"why\":\"done\"}",
              "Content-Type",
              "application/json",
              "Authorization",
              "Bearer " + TOKEN);
      assertThat(resumed.statusCode()).as(resumed.body()).isEqualTo(200);
      assertThat(resumed.headers().firstValue("set-cookie")).isEmpty();
      assertThat(client.get("/api/v1/databases/shop/audit").body())
          .contains("\"who\":\"anna\"", "\"who\":\"token:deploy\"");
    }
  }

  @Test
  void an_unknown_or_expired_token_is_refused_and_a_viewer_changes_nothing() throws Exception {
    try (RunningServer server = new RunningServer(directory, HTTP)) {
      Client program = server.client();
      assertThat(program.get(STATUS, "Authorization", "Bearer " + EXPIRED).body())
          .contains("'old' has expired");
      assertThat(program.get(STATUS, "Authorization", "Bearer nope").statusCode()).isEqualTo(401);
      assertThat(program.get("/login", "Authorization", "Bearer nope").statusCode()).isEqualTo(401);
      Client viewer = server.client();
      viewer.login("vic", "another password");
      assertThat(
              viewer
                  .send(
                      "POST",
                      PAUSE,
                      "{\"why\":\"x\"}",
                      "Content-Type",
                      "application/json",
                      "X-CSRF-TOKEN",
                      viewer.csrf())
                  .statusCode())
          .isEqualTo(403);
      assertThat(viewer.get("/api/v1/databases").body()).contains("shop", "secret");
    }
  }

  @Test
  void every_answer_has_strict_headers() throws Exception {
    try (RunningServer server = new RunningServer(directory, HTTP)) {
      for (String path : new String[] {"/login", STATUS}) {
        var headers = server.client().get(path).headers();
        assertThat(headers.firstValue("content-security-policy").orElse(""))
            .startsWith(path.equals("/login") ? "default-src 'none';" : "default-src 'self';")
            .contains("frame-ancestors 'none'")
            .doesNotContain("unsafe");
        assertThat(headers.firstValue("x-content-type-options")).contains("nosniff");
        assertThat(headers.firstValue("x-frame-options")).contains("DENY");
        assertThat(headers.firstValue("referrer-policy")).contains("no-referrer");
        assertThat(headers.firstValue("cache-control").orElse("")).contains("no-store");
        assertThat(headers.firstValue("server")).isEmpty();
      }
      assertThat(server.client().get("/login").body())
          .doesNotContain("style=")
          .doesNotContain("<script");
    }
  }

  @Test
  void guessing_is_slowed_down() throws Exception {
    try (RunningServer server = new RunningServer(directory, HTTP)) {
      Client client = server.client();
      for (int i = 0; i < 5; i++) {
        client.login("anna", "guess " + i);
      }
      assertThat(client.login("anna", PASSWORD).headers().firstValue("location").orElse(""))
          .endsWith("/login?wait");
      assertThat(
              server
                  .client()
                  .login("vic", "another password")
                  .headers()
                  .firstValue("location")
                  .orElse(""))
          .doesNotContain("wait");
    }
  }

  @Test
  void without_users_the_log_has_a_password_that_works_once() throws Exception {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    var logger = (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(HttpServer.class);
    try (RunningServer first = new RunningServer(directory, "http: {port: 0}\n")) {
      assertThat(first.client().login("admin", "admin").headers().firstValue("location").orElse(""))
          .endsWith("?error");
    }
    log.start();
    logger.addAppender(log);
    try (RunningServer server = new RunningServer(directory, "http: {port: 0}\n")) {
      // Spring Boot's start of the log removes appenders, so the password may only be in the event.
      assertThat(server.port()).isPositive();
    } finally {
      logger.detachAppender(log);
    }
  }
}
