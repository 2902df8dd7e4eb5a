package io.posthorn.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.posthorn.testservers.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RegistrationTest {
  private final EmbeddedPostgres postgres = EmbeddedPostgres.shared();
  private final DataSource dataSource = postgres.dataSource(postgres.freshDatabase());
  private final Queue<String> mails = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void create_the_application_s_own_table() throws SQLException {
    try (var connection = dataSource.getConnection();
        var statement = connection.createStatement()) {
      statement.execute("CREATE TABLE app_user (email text PRIMARY KEY)");
    }
  }

  @Test
  void a_registered_user_gets_a_welcome_mail() throws SQLException {
    try (Registration registration =
        new Registration(dataSource, (user, handling) -> mails.add(user.email()))) {
      registration.register("ada@example.org");
      await().untilAsserted(() -> assertThat(mails).containsExactly("ada@example.org"));
    }
  }

  @Test
  void a_registration_that_is_rolled_back_sends_nothing() throws SQLException {
    try (Registration registration =
        new Registration(dataSource, (user, handling) -> mails.add(user.email()))) {
      registration.register("ada@example.org");
      assertThatThrownBy(() -> registration.register("ada@example.org"))
          .isInstanceOf(SQLException.class);
      registration.register("bob@example.org");
      await().untilAsserted(() -> assertThat(mails).contains("bob@example.org"));
      assertThat(mails).containsExactlyInAnyOrder("ada@example.org", "bob@example.org");
    }
  }

  @Test
  void the_code_in_the_readme_is_this_code() throws Exception {
    Path root = Path.of("").toAbsolutePath().getParent().getParent();
    String readme = withoutSpace(Files.readString(root.resolve("README.md")));
    String source =
        Files.readString(
            Path.of("src/main/java/io/posthorn/examples/quickstart/Registration.java"));
    var regions =
        Pattern.compile("// readme:\\w+\\n(.*?)// readme:end", Pattern.DOTALL)
            .matcher(source)
            .results()
            .map(region -> withoutSpace(region.group(1)))
            .toList();
    assertThat(regions).hasSize(3);
    assertThat(List.of(readme)).allSatisfy(text -> assertThat(text).contains(regions));
  }

  private static String withoutSpace(String text) {
    return text.replaceAll("\\s+", "");
  }
}
