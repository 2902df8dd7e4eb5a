package io.posthorn.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.posthorn.cli.Ran;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The doctor's output, for people and for scripts. */
class DoctorTest {
  /** A connector that never gets a message. */
  private static final class Idle implements Connector {
    @Override
    public void send(List<Message> messages, Answers answers) {}

    @Override
    public boolean serves(String type) {
      return true;
    }

    @Override
    public void close() {}
  }

  private static Ran doctor(EmbeddedPostgres postgres, String name, String... more) {
    List<String> all = new ArrayList<>(List.of("doctor", "--url", postgres.jdbcUrl(name)));
    all.addAll(List.of(more));
    return Ran.posthorn(all.toArray(String[]::new));
  }

  @Test
  void faults_come_first_with_what_to_do_and_the_last_line_sums_up() throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    String name = postgres.freshDatabase();
    DataSource source = postgres.dataSource(name);
    new Migrations(Tables.DEFAULT).migrate(source);
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER SEQUENCE posthorn_seq CACHE 20");
    }
    Ran ran = doctor(postgres, name, "--relay", "nobody_of_this_name");
    assertThat(ran.code()).isEqualTo(6);
    assertThat(ran.err()).isEmpty();
    List<String> lines = ran.out().lines().toList();
    assertThat(lines.get(0)).startsWith("fault");
    assertThat(ran.out())
        .contains("has CACHE 20 (SEQUENCE_CACHED)")
        .contains("do:  run ALTER SEQUENCE public.posthorn_seq CACHE 1")
        .contains("role 'nobody_of_this_name' does not exist")
        .doesNotContain("\nok ");
    assertThat(lines.get(lines.size() - 1)).matches("\\d+ faults, .*; \\d+ in order");
    assertThat(ran.out().indexOf("note ")).isGreaterThan(ran.out().lastIndexOf("fault "));
    assertThat(doctor(postgres, name, "--all").out()).contains("ok       all 73 leaves");
  }

  @Test
  void scripts_get_one_value_with_every_finding() throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    Ran ran = doctor(postgres, postgres.freshDatabase(), "--json");
    assertThat(ran.code()).isEqualTo(6);
    JsonNode answer = new ObjectMapper().readTree(ran.out());
    assertThat(answer.get("worst").asText()).isEqualTo("fault");
    JsonNode first = answer.get("findings").get(0);
    assertThat(first.fieldNames())
        .toIterable()
        .containsExactly("code", "severity", "subject", "found", "why", "do");
    assertThat(answer.get("findings")).hasSizeGreaterThan(10);
  }

  @Test
  void a_database_in_order_ends_it_with_zero() {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().durable(true).start()) {
      String name = postgres.freshDatabase();
      DataSource source = postgres.dataSource(name);
      new Migrations(Tables.DEFAULT).migrate(source);
      try (Relay relay =
          Relay.on(PostgresqlStore.on(source), "shop", "test")
              .destination(Destination.named("mail", new Idle()).allTypes().build())
              .build()
              .start()) {
        await().until(() -> doctor(postgres, name, "--environment", "test").code() == 0);
        Ran ran = doctor(postgres, name);
        assertThat(ran.out()).contains("no faults, no warnings, ");
        assertThat(doctor(postgres, name, "--environment", "other").out())
            .contains("ENVIRONMENT_DIFFERS");
      }
    }
  }

  @Test
  void an_invalid_option_and_a_missing_database_have_different_exit_codes() {
    assertThat(Ran.posthorn("doctor", "--nonsense").code()).isEqualTo(2);
    assertThat(Ran.posthorn("doctor", "--url", "jdbc:postgresql://127.0.0.1:1/x").code())
        .isEqualTo(1);
  }
}
