package io.posthorn.server.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.relay.RelayConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileReaderTest {
  private static final String GOOD =
      """
      environment: production
      databases:
        shop:
          url: jdbc:postgresql://localhost:5432/shop
          user: posthorn
          password: ${SHOP_PASSWORD}
          destinations:
            partner:
              types: [OrderPlaced]
              webhook:
                url: https://partner.example/hooks
                secrets: ${HOOK_SECRET}
      """;
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final Map<String, String> VARIABLES =
      Map.of("SHOP_PASSWORD", "pa:ss #word", "HOOK_SECRET", SECRET);

  @TempDir Path directory;

  @Test
  void a_good_file_is_read_with_its_variables_and_all_defaults() throws IOException {
    ServerFile file = good(GOOD);

    assertThat(file.environment()).isEqualTo("production");
    assertThat(file.management()).isEqualTo(new ServerFile.Management("127.0.0.1", 8081));
    assertThat(file.logging()).isEqualTo(ServerFile.Logging.TEXT);
    assertThat(file.relayConfig()).isEqualTo(RelayConfig.DEFAULT);
    DatabaseSettings shop = Objects.requireNonNull(file.databases().get("shop"));
    assertThat(shop.password()).isEqualTo("pa:ss #word");
    assertThat(shop.application()).isEqualTo("posthorn");
    assertThat(shop.destinations().get("partner").webhook().secrets()).containsExactly(SECRET);
    assertThat(shop.destinations().get("partner").sendTimeout()).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void the_options_of_connectors_are_those_of_spring() throws IOException {
    ServerFile file =
        good(
            """
            environment: production
            databases:
              shop:
                url: jdbc:postgresql://localhost:5432/shop
                destinations:
                  topic:
                    types: [A, B]
                    start-at: 2026-01-01T00:00:00Z
                    envelope: structured-cloud-events
                    after-dead: hold
                    unserved-grace: 0s
                    by-type:
                      A:
                        retry:
                          attempts: 3
                        per-second: 0.5
                    kafka:
                      topic: orders
                      servers: [one:9092, two:9092]
                      partition: 0
                      client:
                        linger.ms: 5
                      create-topic:
                        partitions: 3
                        replicas: 1
                      tombstones:
                        types: B
                  queue:
                    types: "*"
                    rabbitmq:
                      addresses: localhost
                      routing-key: orders
                      max-message-size: 1MB
            """);
    var destinations = Objects.requireNonNull(file.databases().get("shop")).destinations();
    var topic = Objects.requireNonNull(destinations.get("topic"));
    assertThat(topic.startAt().text()).isEqualTo("2026-01-01T00:00:00Z");
    assertThat(topic.byType().get("A").retry().attempts()).isEqualTo(3);
    assertThat(topic.kafka().createTopic().partitions()).isEqualTo(3);
    assertThat(topic.kafka().client()).containsExactly(Map.entry("linger.ms", "5"));
    assertThat(destinations.get("queue").rabbitmq().maxMessageSize().toBytes()).isEqualTo(1 << 20);
    assertThat(
            FileConnectors.of(Objects.requireNonNull(file.databases().get("shop")), file)
                .destinationNames())
        .containsExactly("topic", "queue");
  }

  @Test
  void options_that_do_not_fit_the_destination_are_reported() throws IOException {
    assertThat(
            problems(
                GOOD.replace("types: [OrderPlaced]", "types: [OrderPlaced]\n        start-at: soon")
                    .replace(
                        "      partner:",
                        """
                              other:
                                types: [A]
                                by-type:
                                  B: {per-second: 1}
                                kafka: {topic: a, servers: b, partition: first}
                              partner:\
                        """)))
        .contains(
            "posthorn.yaml:12:39: databases.shop.destinations.other.kafka.partition: 'first' must be the number of a partition",
            "posthorn.yaml:15:9: databases.shop.destinations.partner.start-at: 'soon' must be now, earliest, or a time such as 2026-01-01T00:00:00Z")
        .hasSize(2);
  }

  @Test
  void every_option_of_a_relay_is_a_key() {
    List<String> keys =
        Key.of(ServerFile.Relay.class).stream()
            .map(Key::name)
            .collect(java.util.stream.Collectors.toList());
    keys.addAll(List.of("retention", "dead-retention", "disk-budget"));

    assertThat(keys)
        .containsAll(
            Arrays.stream(RelayConfig.class.getRecordComponents())
                .map(component -> Key.nameOf(component.getName()))
                .toList());
  }

  @Test
  void all_problems_are_reported_at_once_with_their_places() throws IOException {
    assertThat(
            problems(
                """
                environmnt: production
                logging: xml
                relay:
                  lease: 30
                databases:
                  shop:
                    url: jdbc:mysql://localhost/shop
                    destinations:
                      partner:
                        types: [A]
                        webhok: {}
                        retry:
                          attempts: 0
                      other:
                        types: [A]
                        webhook:
                          url: https://other.example
                          timeout: 20s
                          unsigned: true
                """))
        .containsExactly(
            "posthorn.yaml:1:1: environment is missing: set it to where this runs, for example production",
            "posthorn.yaml:1:1: environmnt: unknown key. Did you mean 'environment'?",
            "posthorn.yaml:2:1: logging: 'xml' must be one of text, json",
            "posthorn.yaml:4:3: relay.lease: '30' is no duration: write a number and its unit, such as 500ms, 10s or 7d",
            "posthorn.yaml:7:5: databases.shop.url: is not the address of a PostgreSQL database: write jdbc:postgresql://HOST:5432/DATABASE",
            "posthorn.yaml:11:9: databases.shop.destinations.partner.webhok: unknown key. Did you mean 'webhook'?",
            "posthorn.yaml:13:11: databases.shop.destinations.partner.retry.attempts: '0' must be at least 1",
            "posthorn.yaml:18:11: databases.shop.destinations.other.webhook.timeout: is PT20S: it must be shorter than databases.shop.destinations.other.send-timeout, which is PT10S");
  }

  @Test
  void a_connector_without_what_it_needs_is_reported_at_its_place() throws IOException {
    assertThat(
            problems(
                """
                environment: test
                databases:
                  shop:
                    url: jdbc:postgresql://localhost/shop
                    destinations:
                      none:
                        types: "*"
                      topic:
                        types: "*"
                        kafka:
                          servers: localhost:9092
                      queue:
                        types: "*"
                        rabbitmq:
                          routing-key: orders
                      hook:
                        types: "*"
                        webhook:
                          url: https://partner.example/hooks
                """))
        .anySatisfy(
            one ->
                assertThat(one)
                    .startsWith(
                        "posthorn.yaml:6:7: databases.shop.destinations.none: has 0 of kafka, rabbitmq and webhook"))
        .contains("posthorn.yaml:10:9: databases.shop.destinations.topic.kafka: topic is missing")
        .contains(
            "posthorn.yaml:14:9: databases.shop.destinations.queue.rabbitmq: addresses is missing: name one or more brokers, as host:port")
        .anySatisfy(
            one ->
                assertThat(one)
                    .startsWith("posthorn.yaml:18:9: databases.shop.destinations.hook.webhook: "))
        .hasSize(4);
  }

  @Test
  void settings_that_do_not_fit_together_are_reported() throws IOException {
    assertThat(
            problems(
                GOOD
                    + """
                      relay:
                        lease: 20s
                      retention:
                        sent: 20d
                      """))
        .anySatisfy(
            one ->
                assertThat(one)
                    .startsWith(
                        "posthorn.yaml:14:3: relay.lease: is PT20S, but destination 'databases.shop.destinations.partner' needs at least PT30S"))
        .contains(
            "posthorn.yaml:16:3: retention.sent: is longer than 13d, the most that the log holds")
        .hasSize(2);
  }

  @Test
  void secrets_come_from_files_beside_the_file() throws IOException {
    Files.writeString(directory.resolve("password"), "from a file\n");
    Files.writeString(directory.resolve("hooks"), SECRET + "\n" + SECRET + "\n");
    Files.writeString(directory.resolve("kafka.properties"), "security.protocol=SASL_SSL\n");
    ServerFile file =
        good(
            GOOD.replace("password: ${SHOP_PASSWORD}", "password-file: password")
                    .replace("secrets: ${HOOK_SECRET}", "secrets-file: hooks")
                + """
                        topic:
                          types: [A]
                          kafka:
                            topic: orders
                            servers: [localhost:9092]
                            client-file: kafka.properties
                  """);
    DatabaseSettings shop = Objects.requireNonNull(file.databases().get("shop"));
    assertThat(shop.password()).isEqualTo("from a file");
    assertThat(shop.destinations().get("partner").webhook().secrets()).hasSize(2);
    assertThat(shop.destinations().get("topic").kafka().client())
        .containsExactly(Map.entry("security.protocol", "SASL_SSL"));
  }

  @Test
  void a_secret_that_is_missing_or_there_twice_is_reported() throws IOException {
    assertThat(
            problems(
                GOOD.replace("user: posthorn", "password-file: nowhere")
                    .replace("secrets: ${HOOK_SECRET}", "secrets: ${NOT_SET}")))
        .containsExactly(
            "posthorn.yaml:5:5: databases.shop.password-file: the file cannot be read, or is empty. Check its name and its rights",
            "posthorn.yaml:6:5: databases.shop.password: has a value and also a file: remove one of them",
            "posthorn.yaml:12:11: databases.shop.destinations.partner.webhook.secrets[0]: the environment variable NOT_SET is not set. Set it, or write the value here");
  }

  @Test
  void a_variable_that_is_not_set_is_reported_and_no_other_file_is_read() throws IOException {
    Files.writeString(directory.resolve("partner"), SECRET);

    assertThat(problems(GOOD.replace("secrets: ${HOOK_SECRET}", "secrets-file: ${NOT_SET}partner")))
        .containsExactly(
            "posthorn.yaml:12:11: databases.shop.destinations.partner.webhook.secrets-file: the environment variable NOT_SET is not set. Set it, or write the value here");
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void a_secret_that_every_user_can_read_is_named() throws IOException {
    Path open = Files.writeString(directory.resolve("open"), SECRET);
    Path closed = Files.writeString(directory.resolve("closed"), "x");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rw-r-----"));
    Files.writeString(
        path(),
        GOOD.replace("password: ${SHOP_PASSWORD}", "password-file: closed")
            .replace("secrets: ${HOOK_SECRET}", "secrets-file: open"));

    FileReader.Result read = FileReader.read(path(), VARIABLES);
    assertThat(read.problems()).isEmpty();
    assertThat(read.readableByAll()).containsExactly(open);
  }

  @Test
  void certificates_and_keys_are_found_beside_the_file() throws IOException {
    Files.writeString(directory.resolve("ca.pem"), "");
    Files.writeString(directory.resolve("own.pem"), "");
    Files.writeString(directory.resolve("own.key"), "");

    assertThat(
            problems(
                GOOD
                    + """
                      tls-bundles:
                        partner:
                          trust: ca.pem
                          certificate: own.pem
                          private-key: own.key
                        other:
                          trust: "no\\0file"
                      """))
        .anySatisfy(
            one -> assertThat(one).startsWith("posthorn.yaml:14:3: tls-bundles.partner: its files"))
        .contains("posthorn.yaml:19:5: tls-bundles.other.trust: is not the name of a file")
        .hasSize(2);
  }

  @Test
  void tls_bundles_that_are_missing_or_cannot_be_read_are_reported() throws IOException {
    Files.writeString(directory.resolve("no.pem"), "-----BEGIN PRIVATE KEY-----hunter2");
    List<String> problems =
        problems(
            GOOD
                + "          ssl-bundle: partnr\n"
                + "tls-bundles:\n  partner:\n    trust: %s\n"
                    .formatted(directory.resolve("no.pem")));
    assertThat(problems)
        .contains(
            "posthorn.yaml:13:11: databases.shop.destinations.partner.webhook.ssl-bundle: 'partnr' is not in tls-bundles. Did you mean 'partner'?")
        .anySatisfy(
            one -> assertThat(one).startsWith("posthorn.yaml:15:3: tls-bundles.partner: its files"))
        .noneMatch(one -> one.contains("hunter2"));
  }

  /** Whatever is wrong, and wherever: a secret that the file has is never repeated. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "password: hunter2 : hunter2",
        "password: [hunter2]",
        "password: {hunter2: hunter2}",
        "password: *hunter2",
        "password: !hunter2 x",
        "password: %hunter2",
        "password: @hunter2",
        "password: 'hunter2",
        "password: \"hunter2",
        "password: ${hunter2",
        "password: hunter2\n    password: hunter2",
        "password: |hunter2",
        "password: hunter2\n      more",
        "password-file: hunter2/\n    password: hunter2",
        "url: jdbc:postgresql://me:hunter2@localhost/shop",
        "url: jdbc:postgresql://localhost/shop?password=hunter2",
        "url: jdbc:postgresql://localhost/shop?sslpassword=hunter2",
      })
  void a_secret_is_never_repeated(String line) throws IOException {
    String text =
        """
        environment: test
        databases:
          shop:
            %s
            destinations:
              a:
                types: [A]
                webhook:
                  url: http://user:hunter2@x
                  secrets: [hunter2]
                  bearer-token: hunter2
        """
            .formatted(line);

    assertThat(problems(text)).isNotEmpty().noneMatch(one -> one.contains("hunter2"));
  }

  @Test
  void printed_settings_have_no_secret() throws IOException {
    assertThat(good(GOOD).databases().get("shop").toString())
        .doesNotContain("pa:ss")
        .doesNotContain(SECRET);
  }

  @Test
  void a_file_that_is_no_yaml_or_no_file_is_reported() throws IOException {
    assertThat(problems("a: b: c\n"))
        .containsExactly("posthorn.yaml:1:5: this is no YAML: mapping values are not allowed here");
    assertThat(problems("")).containsExactly("posthorn.yaml:1:1: the file is empty");
    assertThat(problems("- a\n")).containsExactly("posthorn.yaml:1:1: the file has no keys");
    assertThat(problems("a: 1\n---\nb: 2\n"))
        .anyMatch(one -> one.contains("a second document begins"));
    Files.write(path(), "a: ä".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(read()).containsExactly("posthorn.yaml:1:1: the file is not encoded in UTF-8");
    Files.delete(path());
    assertThat(read()).containsExactly("posthorn.yaml:1:1: there is no such file");
  }

  @Test
  void hostile_yaml_ends_in_a_problem() throws IOException {
    assertThat(problems("a: ".repeat(1) + "[".repeat(10_000))).isNotEmpty();
    assertThat(problems("a: &a [*a]\n")).isNotEmpty();
    assertThat(problems("&a environment: *a\n")).isNotEmpty();
    assertThat(problems("environment: &a {b: *a}\ndatabases: *a\n")).isNotEmpty();
    assertThat(problems("!!java.net.URL [x]: y\n")).isNotEmpty();
    assertThat(problems("databases:\n  ? [a]\n  : b\n")).isNotEmpty();
    assertThat(problems("databases:\n  a[b]:\n    url: x\n")).isNotEmpty();
    assertThat(problems("databases:\n  shop: text\n")).isNotEmpty();
  }

  private ServerFile good(String text) throws IOException {
    Files.writeString(path(), text);
    FileReader.Result result = FileReader.read(path(), VARIABLES);
    assertThat(result.problems()).isEmpty();
    return Objects.requireNonNull(result.settings());
  }

  private List<String> problems(String text) throws IOException {
    Files.writeString(path(), text);
    return read();
  }

  private List<String> read() {
    FileReader.Result result = FileReader.read(path(), VARIABLES);
    assertThat(result.settings()).isNull();
    return result.problems().stream().map(one -> one.in("posthorn.yaml")).toList();
  }

  private Path path() {
    return directory.resolve("posthorn.yaml");
  }
}
