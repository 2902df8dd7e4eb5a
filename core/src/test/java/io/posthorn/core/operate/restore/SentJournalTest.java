package io.posthorn.core.operate.restore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Delivery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SentJournalTest {
  @TempDir private Path directory;

  @Test
  void what_was_sent_is_read_again() {
    UUID one = UUID.randomUUID();
    try (SentJournal journal = SentJournal.in(directory)) {
      journal.on(confirmed("mail\there", one, 7, null));
    }
    assertThat(entries())
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.message()).isEqualTo(one);
              assertThat(entry.seq()).isEqualTo(7);
              assertThat(entry.type()).isEqualTo("OrderPlaced");
              assertThat(entry.destination()).isEqualTo("mail\there");
              assertThat(entry.at()).isAfter(Instant.now().minusSeconds(60));
            });
  }

  @Test
  void what_failed_or_came_from_a_broker_is_not_recorded() {
    try (SentJournal journal = SentJournal.in(directory)) {
      journal.on(failed(delivery(UUID.randomUUID(), 1, null)));
      journal.on(confirmed("mail", UUID.randomUUID(), 2, "/another/service"));
      journal.on(new Event.LaneTaken("mail"));
    }
    assertThat(entries()).isEmpty();
  }

  @Test
  void a_journal_has_at_most_two_files_and_keeps_the_newest_entries() throws IOException {
    try (SentJournal journal = SentJournal.in(directory, 300)) {
      for (int seq = 1; seq <= 100; seq++) {
        journal.on(confirmed("mail", UUID.randomUUID(), seq, null));
      }
    }
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).hasSize(2);
    }
    assertThat(entries()).extracting(SentJournal.Entry::seq).endsWith(99L, 100L);
  }

  @Test
  void journals_of_several_relays_share_a_directory() {
    try (SentJournal a = SentJournal.in(directory);
        SentJournal b = SentJournal.in(directory)) {
      a.on(confirmed("mail", UUID.randomUUID(), 1, null));
      b.on(confirmed("mail", UUID.randomUUID(), 2, null));
    }
    assertThat(entries()).extracting(SentJournal.Entry::seq).containsExactlyInAnyOrder(1L, 2L);
  }

  @Test
  void files_that_nobody_writes_any_more_are_removed() throws IOException {
    SentJournal.in(directory).close();
    try (Stream<Path> files = Files.list(directory)) {
      Path old = files.findFirst().orElseThrow();
      Files.setLastModifiedTime(
          old, FileTime.from(Instant.now().minus(SentJournal.KEPT).minus(Duration.ofHours(1))));
      SentJournal.in(directory).close();
      assertThat(old).doesNotExist();
    }
  }

  @Test
  void a_line_that_a_killed_process_left_half_written_is_passed_over() throws IOException {
    try (SentJournal journal = SentJournal.in(directory)) {
      journal.on(confirmed("mail", UUID.randomUUID(), 1, null));
    }
    try (Stream<Path> files = Files.list(directory)) {
      Files.writeString(
          files.findFirst().orElseThrow(), "2026-11-1", UTF_8, StandardOpenOption.APPEND);
    }
    assertThat(entries()).hasSize(1);
  }

  @Test
  void only_the_owner_can_read_it() throws IOException {
    Path inside = directory.resolve("journals");
    SentJournal.in(inside).close();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(inside)))
        .isEqualTo("rwx------");
    try (Stream<Path> files = Files.list(inside)) {
      assertThat(files)
          .allSatisfy(
              file ->
                  assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                      .isEqualTo("rw-------"));
    }
  }

  @Test
  void a_directory_that_cannot_be_used_is_named() throws IOException {
    Path file = Files.createFile(directory.resolve("a-file"));
    assertThatThrownBy(() -> SentJournal.in(file))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining(file.toString());
    assertThatThrownBy(
            () -> SentJournal.read(directory.resolve("none"), Instant.EPOCH, entry -> {}))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("none");
  }

  @Test
  void a_directory_that_vanishes_stops_no_delivery() throws IOException {
    Path inside = directory.resolve("journals");
    try (SentJournal journal = SentJournal.in(inside, 1)) {
      journal.on(confirmed("mail", UUID.randomUUID(), 1, null));
      try (Stream<Path> files = Files.list(inside)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(inside);
      journal.on(confirmed("mail", UUID.randomUUID(), 2, null));
      journal.on(confirmed("mail", UUID.randomUUID(), 3, null));
    }
    assertThat(inside).doesNotExist();
  }

  private List<SentJournal.Entry> entries() {
    List<SentJournal.Entry> entries = new ArrayList<>();
    SentJournal.read(directory, Instant.EPOCH, entries::add);
    return entries;
  }

  private static Event confirmed(String destination, UUID id, long seq, @Nullable String sender) {
    return new Event.Confirmed(destination, delivery(id, seq, sender));
  }

  private static Event failed(Delivery delivery) {
    return new Event.CallFailed("mail", delivery, Reason.of("HTTP_500", "500"));
  }

  private static Delivery delivery(UUID id, long seq, @Nullable String sender) {
    return new Delivery(
        Message.of("OrderPlaced").id(id).build(),
        seq,
        Instant.now(),
        0,
        Duration.ZERO,
        false,
        null,
        0,
        false,
        Duration.ZERO,
        Duration.ZERO,
        sender);
  }
}
