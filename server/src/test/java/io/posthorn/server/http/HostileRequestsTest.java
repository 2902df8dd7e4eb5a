package io.posthorn.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.posthorn.api.security.ApiToken;
import io.posthorn.server.http.RunningServer.Client;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that want to harm: each gets a clear error, and the next good request is answered. */
class HostileRequestsTest {
  private static final String SHOP = "/api/v1/databases/shop";
  private static final String TOKEN = ApiToken.generate();
  private static final int MEGABYTE = 1 << 20;
  private static final int BAD_REQUEST = 400;
  private static final int TOO_LARGE = 413;

  @TempDir static Path directory;
  private static RunningServer server;

  @BeforeAll
  static void start() throws IOException {
    server =
        new RunningServer(
            directory,
            """
            http:
              port: 0
              tokens:
                all:
                  token-hash: %s
                  roles: {shop: admin}
            """
                .formatted(ApiToken.hashOf(TOKEN)));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void the_next_good_request_is_answered() throws Exception {
    assertThat(send("GET", "/status", "").statusCode()).isEqualTo(200);
  }

  private static HttpResponse<String> send(String method, String path, String body)
      throws Exception {
    Client client = server.client();
    return client.send(
        method,
        SHOP + path,
        body,
        "Authorization",
        "Bearer " + TOKEN,
        "Content-Type",
        "application/json");
  }

  private static JsonNode problem(HttpResponse<String> answer, int status) throws IOException {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("content-type").orElse(""))
        .startsWith("application/problem+json");
    JsonNode problem = new ObjectMapper().readTree(answer.body());
    assertThat(problem.path("status").asInt()).isEqualTo(status);
    assertThat(answer.body()).doesNotContain("Exception").doesNotContain("org.springframework");
    return problem;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "\"text\"",
        "{",
        "{\"why\":",
        "{\"why\":\"x\"}{\"why\":\"y\"}",
        "{\"why\":{\"a\":1}}",
        "{\"why\":[1,2]}",
        "{\"why\":12}",
        "{\"why\":\"x\",\"admin\":true}",
        "{\"why\":\"x\",\"why\":\"y\"}",
        "{\"why\":\"\"}",
        "{\"why\":null}",
        "{'why':'x'}",
        "{\"why\":\"\\ud800\\u0000\"}",
        "<xml/>",
      })
  void a_body_that_is_not_as_expected_is_refused_with_a_reason(String body) throws Exception {
    JsonNode problem = problem(send("POST", "/destinations/partner/pause", body), BAD_REQUEST);
    assertThat(problem.path("detail").asText()).contains("nothing was done");
  }

  @Test
  void nested_and_long_json_is_refused_quickly() throws Exception {
    for (String bomb :
        new String[] {
          "[".repeat(MEGABYTE),
          "{\"why\":".repeat(100_000),
          "{\"payload\":" + "[".repeat(60) + "]".repeat(60) + "}",
          "{\"payload\":" + "9".repeat(100_000) + "}",
        }) {
      problem(send("POST", "/messages", bomb), BAD_REQUEST);
    }
  }

  @Test
  void an_unknown_name_is_named_without_its_value() throws Exception {
    JsonNode problem =
        problem(
            send("POST", "/destinations/partner/pause", "{\"wy\":\"4929-secret\"}"), BAD_REQUEST);
    assertThat(problem.path("detail").asText())
        .contains("'wy' is unknown", "why")
        .doesNotContain("4929");
    assertThat(problem.path("code").asText()).isEqualTo("POSTHORN-034");
  }

  @Test
  void a_body_of_ten_megabytes_is_refused_whether_it_says_so_or_not() throws Exception {
    String large = "{\"why\":\"" + "x".repeat(10 * MEGABYTE) + "\"}";
    try {
      HttpResponse<String> answer = send("POST", "/destinations/partner/pause", large);
      assertThat(answer.statusCode()).isEqualTo(TOO_LARGE);
    } catch (IOException e) {
      // The server has answered and closed the connection while the client was still sending.
      assertThat(e).hasMessageMatching("(?i).*(reset|broken pipe|closed|EOF|connection).*");
    }
    String head = raw(chunked(10));
    assertThat(head).startsWith("HTTP/1.1 413");
  }

  private static byte[] chunked(int megabytes) throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    String head =
        "POST %s/destinations/partner/pause HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            .formatted(SHOP, TOKEN);
    request.write(head.getBytes(UTF_8));
    byte[] part = new byte[MEGABYTE];
    Arrays.fill(part, (byte) ' ');
    for (int i = 0; i < megabytes; i++) {
      request.write((Integer.toHexString(MEGABYTE) + "\r\n").getBytes(UTF_8));
      request.write(part);
      request.write("\r\n".getBytes(UTF_8));
    }
    request.write("0\r\n\r\n".getBytes(UTF_8));
    return request.toByteArray();
  }

  /** Sends bytes as they are, and returns the beginning of the answer. */
  private static String raw(byte[] request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(20_000);
      OutputStream out = socket.getOutputStream();
      Thread writer =
          new Thread(
              () -> {
                try {
                  out.write(request);
                  out.flush();
                } catch (IOException e) {
                  // The server has closed it.
                }
              });
      writer.setDaemon(true);
      writer.start();
      InputStream in = socket.getInputStream();
      byte[] answer = in.readNBytes(200);
      return new String(answer, UTF_8);
    }
  }

  @Test
  void ten_thousand_header_lines_and_a_huge_one_are_refused() throws Exception {
    String many =
        "GET %s/status HTTP/1.1\r\nHost: x\r\n%s\r\n".formatted(SHOP, "X-A: b\r\n".repeat(10_000));
    assertThat(raw(many.getBytes(UTF_8))).startsWith("HTTP/1.1 400");
    String huge =
        "GET %s/status HTTP/1.1\r\nHost: x\r\nX-A: %s\r\n\r\n".formatted(SHOP, "b".repeat(100_000));
    assertThat(raw(huge.getBytes(UTF_8))).startsWith("HTTP/1.1 400").doesNotContain("Tomcat");
    assertThat(raw("NONSENSE\r\n\r\n".getBytes(UTF_8))).startsWith("HTTP/1.1 400");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/databases/shop/../secret/status",
        "/api/v1/databases/shop/..%2fsecret/status",
        "/api/v1/databases/shop%2f..%2fsecret/status",
        "/api/v1/databases/shop;x=/status",
        "/api/v1/databases//shop/status",
        "/api/v1/databases/shop/./status",
        "/api/v1/databases/shop/%2e%2e/secret/status",
        "/api/v1/databases/shop\\..\\secret/status",
        "/api/v1/databases/shop/status%00.html",
        "/api/v1/databases/shop/status/",
        "/API/V1/databases/shop/status",
        "/api/v1/databases/secret/status",
      })
  void tricks_with_paths_lead_nowhere(String path) throws Exception {
    String request =
        "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n"
            .formatted(path, TOKEN);
    assertThat(raw(request.getBytes(UTF_8))).matches("(?s)HTTP/1.1 (400|404) .*");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/messages/not-an-id",
        "/dead-letters?limit=0",
        "/dead-letters?limit=501",
        "/dead-letters?limit=abc",
        "/dead-letters?limit=99999999999999999999",
        "/dead-letters?from=yesterday",
        "/dead-letters?state=NOPE",
        "/messages?after=x",
        "/audit?after=1;drop",
        "/ids/%27%20or%201=1",
        "/dead-letters?key=%00",
        "/messages?aggregateType=a%00&key=b",
      })
  void a_value_that_cannot_be_is_refused_with_a_reason(String path) throws Exception {
    problem(send("GET", path, ""), BAD_REQUEST);
  }

  @Test
  void unknown_paths_methods_and_media_are_problems_too() throws Exception {
    problem(send("GET", "/nothing", ""), 404);
    problem(send("DELETE", "/status", ""), 405);
    assertThat(send("TRACE", "/status", "").statusCode()).isEqualTo(405);
    Client client = server.client();
    problem(
        client.send(
            "POST",
            SHOP + "/pauses",
            "why=x",
            "Authorization",
            "Bearer " + TOKEN,
            "Content-Type",
            "application/x-www-form-urlencoded"),
        415);
    problem(
        client.get(SHOP + "/status", "Authorization", "Bearer " + TOKEN, "Accept", "text/csv"),
        406);
  }

  @Test
  void hostile_names_are_data_and_nothing_else() throws Exception {
    problem(send("POST", "/destinations/%3Cscript%3E/pause", "{\"why\":\"x\"}"), 404);
    HttpResponse<String> found =
        send("GET", "/messages?aggregateType=%27;DROP%20TABLE%20posthorn_log;--&key=x", "");
    assertThat(found.statusCode()).isEqualTo(200);
    String message =
        "{\"id\":\"%s\",\"type\":\"OrderPlaced\",\"text\":\"<script>alert(1)</script>\",\"contentType\":\"text/html\"}"
            .formatted(UUID.randomUUID());
    HttpResponse<String> added = send("POST", "/messages", message);
    assertThat(added.statusCode()).isEqualTo(201);
    HttpResponse<String> shown =
        send(
            "GET",
            "/messages/" + new ObjectMapper().readTree(added.body()).path("ids").path(0).asText(),
            "");
    assertThat(shown.headers().firstValue("content-type").orElse(""))
        .startsWith("application/json");
    assertThat(shown.headers().firstValue("x-content-type-options")).contains("nosniff");
  }
}
