package io.posthorn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** No server outlives the JVM that started it, and no file stays forever. */
class OwnershipTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  void a_killed_jvm_takes_its_postgres_with_it() {
    try (JavaProcess jvm = JavaProcess.of(OwnsPostgres.class).start()) {
      List<Long> processes = serverProcesses(started(jvm));
      assertThat(processes).hasSizeGreaterThan(3).allMatch(Processes::isRunning);

      jvm.kill();

      Waiting.until("postgres to end", PATIENCE, () -> noneRuns(processes));
    }
  }

  @Test
  void a_killed_jvm_takes_its_frozen_postgres_with_it() {
    try (JavaProcess jvm = JavaProcess.of(OwnsPostgres.class).args("frozen").start()) {
      List<Long> processes = serverProcesses(started(jvm));

      jvm.kill();

      Waiting.until("postgres to end", PATIENCE, () -> noneRuns(processes));
    }
  }

  @Test
  void a_jvm_that_ends_takes_its_postgres_and_its_files_with_it() {
    try (JavaProcess jvm = JavaProcess.of(OwnsPostgres.class).start()) {
      String[] started = started(jvm);
      List<Long> processes = serverProcesses(started);

      jvm.writeLine("x");

      assertThat(jvm.awaitExit(PATIENCE)).isZero();
      assertThat(jvm.errors()).isEmpty();
      assertThat(noneRuns(processes)).isTrue();
      assertThat(Path.of(started[2])).doesNotExist();
    }
  }

  @Test
  void what_a_killed_jvm_leaves_behind_is_removed_by_the_next() throws Exception {
    Path left;
    String memory;
    try (JavaProcess jvm = JavaProcess.of(OwnsPostgres.class).start()) {
      String[] started = started(jvm);
      left = Path.of(started[2]);
      memory =
          Files.readAllLines(left.resolve("postmaster.pid")).get(6).strip().replaceAll("\\s+", " ");
      List<Long> processes = serverProcesses(started);
      jvm.kill();
      Waiting.until("postgres to end", PATIENCE, () -> noneRuns(processes));
    }
    assertThat(left).isDirectory();
    assertThat(sharedMemory()).contains(memory);

    try (JavaProcess next = JavaProcess.of(OwnsPostgres.class).start()) {
      started(next);
      assertThat(left).doesNotExist();
      assertThat(sharedMemory()).doesNotContain(memory);
    }
  }

  @Test
  void the_files_of_a_living_jvm_are_left_alone_by_others() {
    EmbeddedPostgres mine = EmbeddedPostgres.shared();
    try (JavaProcess other = JavaProcess.of(OwnsPostgres.class).start()) {
      started(other);
      assertThat(mine.dataDirectory()).isDirectory();
    }
  }

  @Test
  void a_server_outlives_the_thread_that_started_it() throws Exception {
    List<EmbeddedPostgres> started = new ArrayList<>();
    Thread thread = new Thread(() -> started.add(EmbeddedPostgres.builder().start()));
    thread.start();
    thread.join();
    try (EmbeddedPostgres postgres = started.get(0)) {
      assertThat(Sql.value(postgres.dataSource(), "SELECT 42")).isEqualTo("42");
    }
  }

  @Test
  void root_without_user_namespaces_runs_servers_as_nobody() throws Exception {
    assumeThat(Unprivileged.here()).as("needs root").isNotEqualTo(Unprivileged.AS_IS);
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().user(Unprivileged.NOBODY).start();
        EmbeddedPostgres standby = postgres.standby();
        PgBouncer bouncer =
            PgBouncer.inFrontOf(postgres.port()).user(Unprivileged.NOBODY).start()) {
      assertThat(Files.getAttribute(Path.of("/proc/" + postgres.pid()), "unix:uid"))
          .isEqualTo(65534);
      assertThat(Files.getAttribute(Path.of("/proc/" + bouncer.pid()), "unix:uid"))
          .isEqualTo(65534);
      postgres.kill();
      postgres.start();
      standby.promote();
      Sql.execute(standby.dataSource(), "CREATE TABLE taken_over (id int)");
      assertThat(Sql.value(bouncer.dataSource("postgres"), "SELECT 42")).isEqualTo("42");
    }
  }

  private static String[] started(JavaProcess jvm) {
    return jvm.awaitLine(line -> line.startsWith("started "), PATIENCE).split(" ", -1);
  }

  private static List<Long> serverProcesses(String[] started) {
    long postmaster = Long.parseLong(started[1]);
    List<Long> processes = new ArrayList<>(Processes.children(postmaster));
    processes.add(postmaster);
    return processes;
  }

  private static boolean noneRuns(List<Long> processes) {
    return processes.stream().noneMatch(Processes::isRunning);
  }

  // The key and the id of each segment, as in postmaster.pid.
  private static List<String> sharedMemory() throws Exception {
    return Files.readAllLines(Path.of("/proc/sysvipc/shm")).stream()
        .map(line -> line.strip().split("\\s+", 3))
        .map(columns -> columns[0] + " " + columns[1])
        .toList();
  }
}
