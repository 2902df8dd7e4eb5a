package io.posthorn.jsonschema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.PayloadSchemas;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Payloads and their schemas, from files of the class path and given in the program. */
class JsonSchemasTest {
  private final JsonSchemas schemas = new JsonSchemas();

  private static Message order(String json) {
    return order(1, json);
  }

  private static Message order(int version, String json) {
    return Message.of("OrderPlaced").schemaVersion(version).json(json.getBytes(UTF_8)).build();
  }

  private static Optional<String> mismatch(String places) {
    return Optional.of(
        "the payload does not match the schema of version 1 of 'OrderPlaced': " + places);
  }

  @Test
  void a_payload_that_matches_the_file_of_its_type_and_version_passes() {
    assertThat(schemas.problemWith(order("{\"id\":\"o-1\",\"total\":19.99}"))).isEmpty();
    assertThat(schemas.has("OrderPlaced", 1)).isTrue();
  }

  @Test
  void a_version_without_a_file_is_not_checked() {
    assertThat(schemas.problemWith(order(2, "{}"))).isEmpty();
    assertThat(schemas.has("OrderPlaced", 2)).isFalse();
  }

  @Test
  void a_mismatch_lists_the_places_and_rules_and_no_value_of_the_payload() {
    Optional<String> problem =
        schemas.problemWith(
            order(
                "{\"total\":\"DE89370400440532013000\",\"secret\":\"s3cret\",\"lines\":[{\"sku\":\"A\"},{\"sku\":\"private\"}]}"));
    assertThat(problem)
        .isEqualTo(
            mismatch(
                "/id (required), /lines/1/sku (pattern ^[A-Z]+$), /secret (additionalProperties), /total (type number)"));
  }

  @Test
  void a_mismatch_lists_at_most_ten_places() {
    StringBuilder lines = new StringBuilder("{\"id\":\"o-1\",\"total\":1,\"lines\":[");
    lines.append("1,".repeat(14)).append("1]}");
    assertThat(schemas.problemWith(order(lines.toString())).orElseThrow())
        .contains("/lines/0 (type object)")
        .endsWith(" and 5 more");
  }

  @Test
  void amounts_are_compared_as_they_are_written() {
    assertThat(schemas.problemWith(order("{\"id\":\"o-1\",\"total\":1.015}")))
        .isEqualTo(mismatch("/total (multipleOf 0.01)"));
    assertThat(schemas.problemWith(order("{\"id\":\"o-1\",\"total\":0.07}"))).isEmpty();
  }

  @Test
  void a_payload_that_is_no_json_or_repeats_a_name_is_refused_without_quoting_it() {
    assertThat(schemas.problemWith(order("{\"total\":DE89")))
        .isEqualTo(mismatch("it is not valid JSON, or repeats a name"));
    assertThat(schemas.problemWith(order("{\"id\":\"a\",\"id\":\"b\",\"total\":1}")))
        .isEqualTo(mismatch("it is not valid JSON, or repeats a name"));
    Message text = Message.of("OrderPlaced").payload("{}".getBytes(UTF_8), "text/plain").build();
    assertThat(schemas.problemWith(text))
        .isEqualTo(mismatch("its content type is text/plain, not JSON"));
  }

  @Test
  void a_long_or_odd_name_in_the_payload_does_not_spoil_the_text() {
    String name = "\\u001b[2J" + "x".repeat(500);
    assertThat(
            schemas
                .problemWith(order("{\"id\":\"o-1\",\"total\":1,\"" + name + "\":1}"))
                .orElseThrow())
        .doesNotContain("\u001b")
        .hasSizeLessThan(250);
  }

  @Test
  void a_schema_of_the_program_is_used_in_place_of_the_file() {
    JsonSchemas own = schemas.with("OrderPlaced", 1, "{\"type\":\"array\"}");
    assertThat(own.problemWith(order("[]"))).isEmpty();
    assertThat(own.problemWith(order("{}"))).isEqualTo(mismatch("/ (type array)"));
  }

  @Test
  void a_schema_that_cannot_be_parsed_is_named() {
    assertThatThrownBy(() -> schemas.has("Broken", 1))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("/posthorn/schemas/Broken.1.json");
  }

  @Test
  void a_schema_is_loaded_once_however_many_types_without_one_were_received() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(schemas.has("Unknown" + i, 1)).isFalse();
    }
    AtomicInteger opened = new AtomicInteger();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(
        new ClassLoader(before) {
          @Override
          public InputStream getResourceAsStream(String name) {
            if (name.endsWith("/OrderPlaced.1.json")) {
              opened.incrementAndGet();
            }
            return super.getResourceAsStream(name);
          }
        });
    try {
      assertThat(schemas.has("OrderPlaced", 1)).isTrue();
      assertThat(schemas.has("OrderPlaced", 1)).isTrue();
    } finally {
      thread.setContextClassLoader(before);
    }
    assertThat(opened).hasValue(1);
  }

  @Test
  void a_type_cannot_leave_the_folder_of_schemas() {
    assertThat(schemas.has("x/../OrderPlaced", 1)).isFalse();
  }

  @Test
  void nothing_is_loaded_from_the_network() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          requests.incrementAndGet();
          exchange.sendResponseHeaders(404, -1);
          exchange.close();
        });
    server.start();
    try {
      String remote = "http://127.0.0.1:%d/total.json".formatted(server.getAddress().getPort());
      JsonSchemas own = schemas.with("OrderPlaced", 1, "{\"$ref\":\"%s\"}".formatted(remote));
      assertThatThrownBy(() -> own.problemWith(order("{}")))
          .isInstanceOf(PosthornException.class)
          .hasMessageContaining("OrderPlaced.1.json");
      assertThat(requests).hasValue(0);
    } finally {
      server.stop(0);
    }
  }

  @Test
  void programs_find_the_schemas_as_a_service() {
    assertThat(PayloadSchemas.found()).isInstanceOf(JsonSchemas.class);
  }
}
