package io.posthorn.spring;

import static io.posthorn.spring.Messages.noted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.cli.schema.SchemaCommand;
import io.posthorn.core.message.Message;
import io.posthorn.testservers.EmbeddedPostgres;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import picocli.CommandLine;

/** The creation of the tables by Flyway, by Liquibase, or by the application after them. */
class SchemaByOthersTest {
  private static final List<String> SEEN = new CopyOnWriteArrayList<>();
  private static final String ORDERS = "CREATE TABLE orders (id text PRIMARY KEY, total int);\n";
  private static final String MASTER =
      """
      databaseChangeLog:
        - include:
            file: shop.sql
            relativeToChangelogFile: true
        - include:
            file: posthorn.sql
            relativeToChangelogFile: true
      """;

  @TempDir Path directory;

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    Notes notes() {
      return new Notes();
    }
  }

  static class Notes {
    @MessageHandler(consumer = "notes", type = "Noted")
    void note(Message message) {
      SEEN.add(message.type());
    }
  }

  @BeforeEach
  void empty() {
    SEEN.clear();
  }

  @Test
  void flyway_creates_them_from_what_the_command_line_prints() throws IOException {
    write("V1__orders.sql", ORDERS);
    Path own = directory.resolve("printed");
    schema("print", "--to", own.toString());
    Files.move(
        own.resolve("V1__posthorn_outbox.sql"), directory.resolve("V2__posthorn_outbox.sql"));

    handles(
        "posthorn.migrate=false",
        "spring.flyway.enabled=true",
        "spring.flyway.locations=filesystem:" + directory);
  }

  @Test
  void liquibase_creates_them_from_what_the_command_line_prints() throws IOException {
    write("shop.sql", "--liquibase formatted sql\n--changeset shop:1\n" + ORDERS);
    schema("print", "--format", "liquibase", "--to", directory.toString());
    Path master = write("master.yaml", MASTER);

    handles(
        "posthorn.migrate=false",
        "spring.liquibase.enabled=true",
        "spring.liquibase.change-log=file:" + master);
  }

  @Test
  void the_application_creates_them_after_flyway_has_created_its_own() throws IOException {
    write("V1__orders.sql", ORDERS);

    handles("spring.flyway.enabled=true", "spring.flyway.locations=filesystem:" + directory);
  }

  @Test
  void the_application_creates_them_after_liquibase_has_created_its_own() throws IOException {
    Path file = write("shop.sql", "--liquibase formatted sql\n--changeset shop:1\n" + ORDERS);

    handles("spring.liquibase.enabled=true", "spring.liquibase.change-log=file:" + file);
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text);
  }

  private static void schema(String... args) {
    CommandLine schema =
        new CommandLine(new SchemaCommand()).setCaseInsensitiveEnumValuesAllowed(true);
    schema.setOut(new PrintWriter(new StringWriter()));
    assertThat(schema.execute(args)).isZero();
  }

  /** Uses an empty database, where a Flyway that ran second would refuse to start. */
  private static void handles(String... properties) {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    String url = postgres.jdbcUrl(postgres.freshDatabase());
    try (App app = App.start(url, Shop.class, properties)) {
      app.inTransaction(tx -> app.outbox().add(noted("{}")));

      await().untilAsserted(() -> assertThat(SEEN).containsExactly("Noted"));
    }
    // Starts again with everything in place.
    App.start(url, Shop.class, properties).close();
  }
}
