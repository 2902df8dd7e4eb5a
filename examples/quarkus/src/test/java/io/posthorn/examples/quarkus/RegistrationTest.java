package io.posthorn.examples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(Database.class)
class RegistrationTest {
  @Inject Registration registration;
  @Inject WelcomeMails mails;
  @Inject DataSource dataSource;

  @Test
  void a_registered_user_gets_a_welcome_mail() throws SQLException {
    registration.register("ada@example.org");

    await().untilAsserted(() -> assertThat(mails.sent()).contains("ada@example.org"));
  }

  @Test
  void user_and_message_are_of_one_transaction() throws SQLException {
    registration.register("eve@example.org");

    assertThat(
            number(
                """
                SELECT count(*)
                  FROM posthorn_log l
                  JOIN app_user u ON u.xmin = l.tx::xid
                 WHERE u.email = 'eve@example.org'
                   AND l.key = 'eve@example.org'
                """))
        .isEqualTo(1);
  }

  @Test
  void what_is_rolled_back_sends_nothing() throws SQLException {
    assertThatThrownBy(() -> registration.registerAndFail("bob@example.org"))
        .isInstanceOf(IllegalStateException.class);

    assertThat(number("SELECT count(*) FROM app_user WHERE email = 'bob@example.org'")).isZero();
    assertThat(number("SELECT count(*) FROM posthorn_log WHERE key = 'bob@example.org'")).isZero();
  }

  @Test
  void adding_without_a_transaction_is_refused() {
    assertThatThrownBy(() -> registration.registerWithoutTransaction("bob@example.org"))
        .hasMessageContaining("POSTHORN-003");
  }

  @Test
  void no_spring_is_needed() {
    assertThatThrownBy(() -> Class.forName("org.springframework.core.SpringVersion"))
        .isInstanceOf(ClassNotFoundException.class);
  }

  @Test
  void the_code_in_the_guide_is_this_code() throws IOException {
    Path module = Path.of("").toAbsolutePath();
    String guide =
        withoutSpace(
            Files.readString(module.resolve("../../docs/guide/plain-java.md").normalize()));
    try (Stream<Path> sources = Files.walk(module.resolve("src/main/java"))) {
      var regions =
          sources
              .filter(path -> path.toString().endsWith(".java"))
              .flatMap(RegistrationTest::regions)
              .toList();
      assertThat(regions).hasSize(3);
      assertThat(guide).contains(regions);
    }
  }

  private static Stream<String> regions(Path source) {
    try {
      return Pattern.compile("// guide:\\w+\\n(.*?)// guide:end", Pattern.DOTALL)
          .matcher(Files.readString(source))
          .results()
          .map(region -> withoutSpace(region.group(1)));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String withoutSpace(String text) {
    return text.replaceAll("\\s+", "");
  }

  private long number(String sql) throws SQLException {
    try (var connection = dataSource.getConnection();
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
