package io.posthorn.cli.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.cli.OnDatabase;
import io.posthorn.cli.Ran;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.PostgresqlStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The audit in a file, which can be checked without the database. */
class AuditFileTest extends OnDatabase {
  @TempDir private Path directory;

  @BeforeEach
  void fourEntries() {
    PostgresqlStore store = PostgresqlStore.on(dataSource);
    store.register("shop", List.of(new ServedDestination("mail", Set.of("*"))));
    for (int i = 1; i <= 2; i++) {
      Steering.on(store).pause("mail", new Actor("anna", "line\n\"quoted\" \u001b[31m € " + i));
      Steering.on(store).resume("mail", new Actor("bert", "done " + i));
    }
  }

  private Path export(String file, String... more) {
    Path path = directory.resolve(file);
    List<String> all = new ArrayList<>(List.of("audit", "export", "--file", path.toString()));
    all.addAll(List.of(more));
    Ran ran = run(all.toArray(String[]::new));
    assertThat(ran.err()).isEmpty();
    return path;
  }

  private static Ran verify(Path file) {
    return Ran.posthorn("audit", "verify", "--file", file.toString());
  }

  @Test
  void an_export_is_checked_without_the_database() throws IOException {
    Path file = export("all.jsonl");
    assertThat(Files.readAllLines(file)).hasSize(4);
    assertThat(verify(file).out()).contains("checked 4 entries: none was changed");
    Ran again = run("audit", "export", "--file", file.toString());
    assertThat(again.err()).contains("exists");
  }

  @Test
  void a_part_of_it_is_checked_too_and_parts_make_a_whole() throws IOException {
    Path last = export("last.jsonl", "--after", "2");
    assertThat(verify(last).out()).contains("checked 2 entries: none was changed");
    Path first = directory.resolve("first.jsonl");
    Files.write(first, Files.readAllLines(export("all.jsonl")).subList(0, 2));
    Path whole = directory.resolve("whole.jsonl");
    Files.writeString(whole, Files.readString(first) + Files.readString(last));
    assertThat(verify(whole).out()).contains("checked 4 entries: none was changed");
    Path none = directory.resolve("none.jsonl");
    assertThat(run("audit", "export", "--file", none.toString(), "--after", "9").err())
        .contains("there is no entry 9");
  }

  @Test
  void a_line_that_was_changed_removed_or_put_elsewhere_shows() throws IOException {
    List<String> lines = Files.readAllLines(export("all.jsonl"));
    Path file = directory.resolve("other.jsonl");
    Files.writeString(file, String.join("\n", lines).replace("bert", "carl"));
    assertThat(verify(file).err()).contains("entry 2 is missing or changed");
    Files.write(file, List.of(lines.get(0), lines.get(2), lines.get(3)));
    assertThat(verify(file).err()).contains("entry 2 is missing or changed");
    Files.write(file, List.of(lines.get(0), lines.get(2), lines.get(1), lines.get(3)));
    assertThat(verify(file).err()).contains("entry 2 is missing or changed");
    Files.write(file, List.of(lines.get(0), "{}"));
    assertThat(verify(file).err()).contains("line 2");
    Files.write(file, List.of());
    assertThat(verify(file).err()).contains("there is no entry");
    assertThat(verify(directory.resolve("nowhere")).err()).contains("cannot read");
  }

  @Test
  void a_database_whose_end_was_cut_off_differs_from_the_file() throws SQLException {
    Path file = export("all.jsonl");
    assertThat(run("audit", "verify", "--file", file.toString()).out())
        .contains("The database has the same entry 4");
    try (Connection connection = dataSource.getConnection();
        var statement = connection.createStatement()) {
      statement.execute("ALTER TABLE posthorn_audit DISABLE TRIGGER append_only");
      statement.execute("DELETE FROM posthorn_audit WHERE n = 4");
    }
    assertThat(run("audit", "verify").code()).as("the chain alone").isZero();
    assertThat(run("audit", "verify", "--file", file.toString()).err())
        .contains("its entry 4 has hash none");
  }

  @Test
  void without_a_file_a_database_is_needed() {
    assertThat(Ran.posthorn("audit", "verify").err()).contains("--url");
  }
}
