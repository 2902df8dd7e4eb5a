package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class SmallDiskTest {
  @Test
  void a_full_disk_takes_nothing_more_until_room_is_made() throws IOException {
    Path file;
    try (SmallDisk disk = SmallDisk.ofMegabytes(200)) {
      file = disk.directory().resolve("file");
      disk.fill();
      assertThatThrownBy(() -> Files.write(disk.directory().resolve("file"), new byte[1_000_000]))
          .isInstanceOf(IOException.class);
      disk.free();
      Files.write(file, new byte[1_000_000]);
    }
    assertThat(file).doesNotExist();
  }
}
