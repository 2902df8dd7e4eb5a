package io.posthorn.testservers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaClassPathTest {
  @Test
  void what_the_build_wrote_names_no_directory_of_the_machine() throws IOException {
    try (InputStream in = getClass().getResourceAsStream("/kafka/classpath")) {
      String written = new String(in.readAllBytes(), UTF_8);
      assertThat(written.strip().split(":")).allMatch(jar -> jar.startsWith("@repository@/"));
      assertThat(KafkaProgram.resolved(written.strip(), MavenRepository.local()))
          .contains("kafka_2.13");
    }
  }

  @Test
  void a_repository_is_found_by_a_jar_that_lies_in_it() {
    assertThat(
            MavenRepository.holding(
                "file:/srv/my%20jars/org/slf4j/slf4j-api/2.0/slf4j-api-2.0.jar"))
        .isEqualTo(Path.of("/srv/my jars"));
    assertThat(MavenRepository.holding("file:/app/lib/slf4j-api-2.0.jar")).isNull();
  }

  @Test
  void a_jar_that_is_missing_is_named(@TempDir Path empty) throws IOException {
    Files.writeString(empty.resolve("here.jar"), "");
    assertThatThrownBy(
            () -> KafkaProgram.resolved("@repository@/here.jar:@repository@/gone.jar", empty))
        .hasMessageContaining("gone.jar");
  }
}
