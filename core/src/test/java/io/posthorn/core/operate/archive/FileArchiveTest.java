package io.posthorn.core.operate.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file is whole, or it is not taken for one. */
class FileArchiveTest {
  private static final Part PART =
      new Part(
          Part.Kind.MESSAGES,
          LocalDate.of(2026, 11, 7),
          42,
          IntStream.range(0, 500).mapToObj(i -> "{\"n\":" + i + ",\"t\":\"ü 漢\"}").toList());

  @TempDir Path directory;

  private Path written() {
    FileArchive.in(directory).append(PART);
    return ArchiveFiles.in(directory).get(0);
  }

  private static void assertRefused(Path file, String why) {
    assertThatThrownBy(() -> ArchiveFiles.read(file))
        .hasMessageContaining(why)
        .isInstanceOfSatisfying(
            PosthornException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.ARCHIVE_DAMAGED));
  }

  @Test
  void a_part_is_read_back_as_it_was_written() {
    assertThat(ArchiveFiles.read(written())).isEqualTo(PART);
  }

  @Test
  void the_same_part_is_kept_once_and_another_one_beside_it() {
    FileArchive archive = FileArchive.in(directory.resolve("made"));
    archive.append(PART);
    archive.append(PART);
    archive.append(new Part(PART.kind(), PART.day(), PART.first(), List.of("{}")));
    assertThat(ArchiveFiles.in(directory.resolve("made"))).hasSize(2);
  }

  @Test
  void nobody_but_the_owner_may_read_what_was_archived() throws IOException {
    assumeThat(directory.getFileSystem().supportedFileAttributeViews()).contains("posix");
    Path made = directory.resolve("made/here");
    FileArchive.in(made).append(PART);
    for (Path path : List.of(made, made.getParent())) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
          .isEqualTo("rwx------");
    }
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(ArchiveFiles.in(made).get(0))))
        .isEqualTo("rw-------");
  }

  @Test
  void a_file_system_without_such_permissions_is_not_asked_for_them() throws IOException {
    Path zip = directory.resolve("some.zip");
    try (FileSystem without = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
      Path path = without.getPath("/some");
      assertThat(OwnerOnly.file(path)).isEmpty();
      assertThat(Files.createDirectories(path, OwnerOnly.directory(path))).isDirectory();
    }
  }

  @Test
  void a_file_that_was_cut_off_is_refused_wherever_the_cut_is() throws IOException {
    Path file = written();
    byte[] whole = Files.readAllBytes(file);
    for (int length = 0; length < whole.length; length += 97) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertRefused(file, "was not read");
    }
  }

  @Test
  void a_file_with_another_content_than_its_name_says_is_refused() throws IOException {
    Path file = written();
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write("{\"n\":1}\n".getBytes(UTF_8));
    }
    assertRefused(file, "not what its name says");
  }

  @Test
  void what_was_left_unfinished_by_a_crash_is_no_part_of_the_archive() throws IOException {
    Files.writeString(directory.resolve("3f2a.unfinished"), "half");
    assertThat(ArchiveFiles.in(directory)).isEmpty();
    assertRefused(directory.resolve("3f2a.unfinished"), "not the name of a part");
  }

  @Test
  void a_directory_that_cannot_be_written_is_said() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertThatThrownBy(() -> FileArchive.in(file).append(PART))
        .hasMessageContaining("500 lines were not archived")
        .hasMessageContaining("Nothing was removed");
  }
}
