package io.posthorn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.api.security.Passwords;
import io.posthorn.server.http.RunningServer.Client;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console in the server, behind its login. */
class ConsoleTest {
  private static final String PASSWORD = "correct horse battery";
  private static final String HTTP =
      """
      http:
        port: 0
        users:
          anna:
            password-hash: %s
            roles: {shop: operator}
      """
          .formatted(Passwords.hash(PASSWORD));

  @TempDir Path directory;

  @Test
  void the_console_is_behind_the_login_and_shows_only_what_the_roles_allow() throws Exception {
    try (RunningServer server = new RunningServer(directory, HTTP)) {
      Client client = server.client();
      HttpResponse<String> out = client.get("/shop", "Accept", "text/html");
      assertThat(out.statusCode()).isEqualTo(302);
      assertThat(out.headers().firstValue("location").orElse("")).endsWith("/login");
      assertThat(client.get("/shop/live").statusCode()).isEqualTo(302);
      assertThat(client.login("anna", PASSWORD).statusCode()).isEqualTo(302);

      HttpResponse<String> home = client.get("/");
      assertThat(home.headers().firstValue("location")).contains("/shop");
      assertThat(client.get("/shop").body()).contains("Overview", "anna", "Log out");
      assertThat(client.get("/secret").statusCode()).isEqualTo(404);
      assertThat(client.get("/secret").body()).doesNotContain("Overview ·");
      assertThat(client.get("/?all").body()).contains(">shop<").doesNotContain("secret");
    }
  }

  @Test
  void an_action_needs_the_token_of_the_form() throws Exception {
    try (RunningServer server = new RunningServer(directory, HTTP)) {
      Client client = server.client();
      client.login("anna", PASSWORD);
      String form = client.get("/shop/act/pause?all=true").body();
      Matcher token = Pattern.compile("name=\"_csrf\" value=\"([^\"]+)\"").matcher(form);
      assertThat(token.find()).isTrue();
      String body = "all=true&step=do&why=maintenance";
      String type = "application/x-www-form-urlencoded";

      assertThat(client.send("POST", "/shop/act/pause", body, "Content-Type", type).statusCode())
          .isEqualTo(403);
      HttpResponse<String> done =
          client.send(
              "POST", "/shop/act/pause", body + "&_csrf=" + token.group(1), "Content-Type", type);
      assertThat(done.statusCode()).isEqualTo(303);
      assertThat(client.get("/shop/audit").body()).contains("anna", "maintenance");
    }
  }
}
