package io.posthorn.cli.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.posthorn.cli.OnDatabase;
import io.posthorn.cli.Ran;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.PostgresqlStore;
import java.io.StringWriter;
import java.io.Writer;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The status, again and again. */
class StatusWatchTest extends OnDatabase {
  private final StringWriter out = new StringWriter();

  private Thread watch(Writer to, String... more) {
    String[] args = new String[5 + more.length];
    System.arraycopy(new String[] {"status", "--watch", "--every=1", "--url", url}, 0, args, 0, 5);
    System.arraycopy(more, 0, args, 5, more.length);
    Thread watching = new Thread(() -> Ran.printingTo(to, args));
    watching.start();
    return watching;
  }

  private void stop(Thread watching) throws InterruptedException {
    watching.interrupt();
    watching.join(10_000);
    assertThat(watching.isAlive()).isFalse();
  }

  @Test
  void what_changes_is_seen_and_without_a_terminal_each_answer_stands_behind_the_one_before()
      throws Exception {
    Thread watching = watch(out);
    await().until(() -> out.toString().contains("unrouted"));
    PostgresqlStore.on(dataSource)
        .register("shop", List.of(new ServedDestination("mail", Set.of("*"))));
    await().until(() -> out.toString().contains("mail"));
    stop(watching);
    assertThat(out.toString()).contains("Ctrl-C ends this").doesNotContain("\u001b");
    assertThat(out.toString().split("DESTINATION")).hasSizeGreaterThan(2);
  }

  @Test
  void scripts_get_one_value_a_line() throws Exception {
    Thread watching = watch(out, "--json");
    await().until(() -> out.toString().lines().count() >= 2);
    stop(watching);
    for (String line : out.toString().lines().toList()) {
      JsonNode status = new ObjectMapper().readTree(line);
      assertThat(status.get("destinations")).hasSize(1);
    }
  }

  @Test
  void it_ends_when_nobody_reads_it_any_more() throws Exception {
    Writer closed =
        new Writer() {
          @Override
          public void write(char[] text, int from, int length) throws java.io.IOException {
            throw new java.io.IOException("Broken pipe");
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Thread watching = watch(closed);
    watching.join(20_000);
    assertThat(watching.isAlive()).isFalse();
  }
}
