package io.posthorn.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.posthorn.testservers.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
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
  void the_five_lines_of_the_readme_deliver_a_message() throws SQLException {
    try (Registration registration =
        new Registration(dataSource, (user, handling) -> mails.add(user.email()))) {
      registration.welcomeAda();
      await().untilAsserted(() -> assertThat(mails).containsExactly("ada@example.org"));
    }
  }

  @Test
  void the_code_in_the_readme_is_this_code() throws Exception {
    Path root = Path.of("").toAbsolutePath().getParent().getParent();
    List<String> blocks =
        Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(root.resolve("README.md")))
            .results()
            .map(block -> block.group(1))
            .toList();
    assertThat(blocks).hasSize(2);
    assertThat(blocks.get(0).lines().filter(line -> !line.isBlank())).hasSize(5);
    assertThat(withoutSpace(blocks.get(0)))
        .isEqualTo(withoutSpace(region("event") + region("start") + region("hello")));
    assertThat(withoutSpace(blocks.get(1))).isEqualTo(withoutSpace(region("add")));
  }

  private static String region(String name) throws IOException {
    String source =
        Files.readString(
            Path.of("src/main/java/io/posthorn/examples/quickstart/Registration.java"));
    Matcher region =
        Pattern.compile("// readme:" + name + "\\n(.*?)// readme:end", Pattern.DOTALL)
            .matcher(source);
    assertThat(region.find()).as(name).isTrue();
    return region.group(1);
  }

  private static String withoutSpace(String text) {
    return text.replaceAll("\\s+", "");
  }
}
