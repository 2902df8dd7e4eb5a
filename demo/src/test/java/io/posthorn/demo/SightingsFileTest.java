package io.posthorn.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SightingsFileTest {
  @TempDir private Path directory;

  @Test
  void what_a_relay_appended_is_read_once() throws IOException {
    File file = directory.resolve("sightings").toFile();
    try (var reader = new SightingsFile.Reader(file)) {
      assertThat(reader.next()).isEmpty();
      var appender = new SightingsFile.Appender(file);
      OrderChanged change = new OrderChanged("order-7", 42, false);
      appender.append("mail", change.message());

      assertThat(reader.next())
          .singleElement()
          .satisfies(
              seen -> {
                assertThat(seen.destination()).isEqualTo("mail");
                assertThat(seen.change()).isEqualTo(change);
                assertThat(seen.pid()).isEqualTo(ProcessHandle.current().pid());
              });
      assertThat(reader.next()).isEmpty();
    }
  }

  @Test
  void a_line_that_is_not_yet_complete_waits_for_its_rest() throws IOException {
    Path file = directory.resolve("sightings");
    try (var reader = new SightingsFile.Reader(file.toFile())) {
      append(file, "mail order-1 1 false 10 1000 3\nmail order-1 2 fal");
      assertThat(reader.next()).hasSize(1);
      append(file, "se 10 1001 3\n");
      assertThat(reader.next())
          .extracting(Sighting::change)
          .containsExactly(new OrderChanged("order-1", 2, false));
    }
  }

  private static void append(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.APPEND);
  }
}
