package io.posthorn.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Role;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.testservers.EmbeddedPostgres;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What somebody may not see is not told by searches, operations, the audit or links either. */
class ConsolePrivacyTest {
  private static final String SECRET = "4111-2222";
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private static TestConsole console;
  private static Operation operation;

  @BeforeAll
  static void start() {
    EmbeddedPostgres server = EmbeddedPostgres.shared();
    PostgresqlStore store = PostgresqlStore.on(server.dataSource(server.freshDatabase()));
    store.migrate();
    console = TestConsole.over(0, OperatedDatabase.of("shop", "production", store));
    Plan plan = Plan.discard(DeadLetterQuery.builder().error(SECRET).build());
    operation = Operations.on(store).start(plan, new Actor("rui", "ticket 1"));
  }

  @AfterAll
  static void stop() {
    console.close();
  }

  private static HttpResponse<String> get(Role role, String path) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(console.url() + "/shop" + path))
            .header("Cookie", "role=" + role.name())
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  void only_who_reads_payloads_searches_in_errors() throws Exception {
    for (String path : new String[] {"/dead?error=41", "/dead/list?error=41"}) {
      assertThat(get(Role.VIEWER, path).statusCode()).as(path).isEqualTo(403);
      assertThat(get(Role.OPERATOR, path).statusCode()).as(path).isEqualTo(403);
      assertThat(get(Role.PAYLOAD_READER, path).statusCode()).as(path).isEqualTo(200);
    }
    assertThat(get(Role.OPERATOR, "/act/requeue-all?error=41").statusCode()).isEqualTo(403);
    assertThat(get(Role.ADMIN, "/act/requeue-all?error=41").statusCode()).isEqualTo(200);
    assertThat(get(Role.VIEWER, "/dead").body()).doesNotContain("Text in the error");
    assertThat(get(Role.VIEWER, "/jump?q=41").body()).doesNotContain("error text");
    assertThat(get(Role.PAYLOAD_READER, "/jump?q=41").body()).contains("error text");
  }

  @Test
  void what_an_operation_searched_for_is_hidden_from_those_who_do_not_read_payloads()
      throws Exception {
    for (String path : new String[] {"/operations", "/operations/" + operation.id(), "/audit"}) {
      assertThat(get(Role.VIEWER, path).statusCode()).as(path).isEqualTo(200);
      assertThat(get(Role.VIEWER, path).body()).as(path).doesNotContain(SECRET);
    }
    assertThat(get(Role.ADMIN, "/operations/" + operation.id()).body()).contains(SECRET);
    assertThat(get(Role.ADMIN, "/audit").body()).contains(SECRET);
  }

  @Test
  void a_dialog_never_leads_out_of_the_console() throws Exception {
    for (String evil : new String[] {"https://evil.example/", "//evil.example/", "javascript:1"}) {
      String body = get(Role.ADMIN, "/act/requeue-all?cause=x&back=" + evil).body();
      assertThat(body).as(evil).doesNotContain("evil.example").doesNotContain("javascript:");
    }
  }
}
