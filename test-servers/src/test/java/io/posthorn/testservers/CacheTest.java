package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CacheTest {
  private final String name = "posthorn-cache-test-" + UUID.randomUUID();

  @AfterEach
  void remove() {
    FileTree.delete(ScratchDirectory.TEMP.resolve(name + "-" + ScratchDirectory.USER));
  }

  @Test
  void a_directory_is_filled_once() {
    Path first = Cache.directory(name, directory -> Files.writeString(directory.resolve("a"), "1"));
    Path second =
        Cache.directory(name, directory -> Files.writeString(directory.resolve("a"), "2"));

    assertThat(second).isEqualTo(first);
    assertThat(first.resolve("a")).hasContent("1");
  }

  @Test
  void two_that_fill_it_at_once_both_get_one_whole_directory() throws Exception {
    CyclicBarrier bothAreFilling = new CyclicBarrier(2);
    Cache.Filler filler =
        directory -> {
          Files.writeString(directory.resolve("a"), "whole");
          await(bothAreFilling);
        };
    CompletableFuture<Path> one =
        CompletableFuture.supplyAsync(() -> Cache.directory(name, filler));
    CompletableFuture<Path> two =
        CompletableFuture.supplyAsync(() -> Cache.directory(name, filler));

    Path directory = one.get(10, TimeUnit.SECONDS);
    assertThat(two.get(10, TimeUnit.SECONDS)).isEqualTo(directory);
    assertThat(directory.resolve("a")).hasContent("whole");
  }

  @Test
  void one_that_could_not_be_filled_is_filled_by_the_next() {
    assertThatThrownBy(
            () ->
                Cache.directory(
                    name,
                    directory -> {
                      Files.writeString(directory.resolve("half"), "");
                      throw new IOException("disk full");
                    }))
        .hasMessageContaining("disk full");

    Path directory = Cache.directory(name, d -> Files.writeString(d.resolve("a"), "1"));

    assertThat(directory).isDirectoryNotContaining("glob:**half");
  }

  @Test
  void unpacked_programs_keep_their_modes_and_links() {
    Path home = PostgresPrograms.of(18).home();

    assertThat(home.resolve("bin/postgres")).isExecutable();
    assertThat(home.resolve("lib/libpq.so.5")).isSymbolicLink();
  }

  private static void await(CyclicBarrier barrier) throws IOException {
    try {
      barrier.await(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
