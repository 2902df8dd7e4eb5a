package io.posthorn.postgresql.operate.doctor;

import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.core.operate.doctor.Severity;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.schema.DoctorCheck;
import io.posthorn.testkit.FakeConnector;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The doctor finds everything that keeps messages from being delivered. */
class DoctorDeliveryTest {
  private final PostgresqlDatabase database = TestServer.newest().database();
  private final TestLanes lanes = new TestLanes(database);

  @AfterEach
  void close() {
    database.close();
  }

  private List<Diagnosis> find(DoctorCheck look) {
    return database.operator().examine(Examination.DEFAULT).stream()
        .filter(x -> x.code().equals(look.name()))
        .toList();
  }

  private void awaitFound(DoctorCheck look, Severity severity, String... texts) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(find(look))
                    .anySatisfy(
                        found -> {
                          assertThat(found.severity()).isEqualTo(severity);
                          assertThat(found.found() + " " + found.todo()).contains(texts);
                          assertThat(found.why() + found.todo()).doesNotContain("%");
                        }));
  }

  private Relay relay(FakeConnector connector, String... types) {
    Destination.Builder shop = Destination.named("shop", connector);
    return Relay.on(database.store(), "tests", "test")
        .name("north")
        .config(RelayConfig.builder().build())
        .destination((types.length == 0 ? shop.allTypes() : shop.types(types)).build())
        .build()
        .start();
  }

  @Test
  void before_the_first_relay_that_nobody_serves_is_only_a_note() {
    awaitFound(DoctorCheck.UNROUTED_NOT_SERVED, Severity.NOTE, "'unrouted'", "start a relay");
    assertThat(find(DoctorCheck.NOT_SERVED)).isEmpty();
  }

  @Test
  void a_destination_that_nobody_serves_is_found_and_worse_if_messages_wait() {
    database.store().verify("test");
    lanes.store().register("tests", List.of(new ServedDestination("shop", Set.of("*"))));
    awaitFound(
        DoctorCheck.NOT_SERVED, Severity.WARNING, "'shop' (no live relay is configured for it)");
    lanes.commit("1");
    awaitFound(DoctorCheck.NOT_SERVED, Severity.FAULT, "'shop'", "messages wait");
  }

  @Test
  void a_lease_that_ran_out_without_anybody_to_take_over_is_found() {
    database.store().verify("test");
    lanes.take("shop");
    assertThat(find(DoctorCheck.LEASE_EXPIRED).get(0).severity()).isEqualTo(Severity.OK);
    database.pass(Duration.ofHours(2));
    awaitFound(DoctorCheck.LEASE_EXPIRED, Severity.FAULT, "'tests' ran out", "shop");
  }

  @Test
  void that_nobody_stands_by_is_a_note() {
    ServedDestination shop = new ServedDestination("shop", Set.of("*"));
    lanes.store().register("tests", List.of(shop));
    for (String name : List.of("north", "south")) {
      RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), name, "tests");
      lanes.store().join(relay, List.of(shop), Duration.ofHours(1));
      if (name.equals("north")) {
        awaitFound(DoctorCheck.NOBODY_STANDS_BY, Severity.NOTE, "shop", "unrouted");
      }
    }
    assertThat(find(DoctorCheck.NOBODY_STANDS_BY).get(0).severity()).isEqualTo(Severity.OK);
  }

  @Test
  void a_destination_without_routes_is_a_note() {
    lanes.store().register("tests", List.of(new ServedDestination("shop", Set.of())));
    awaitFound(DoctorCheck.NO_ROUTES, Severity.NOTE, "'shop'");
  }

  @Test
  void a_route_that_no_live_relay_was_configured_for_is_a_note() {
    lanes.store().register("tests", List.of(new ServedDestination("shop", Set.of("A", "B"))));
    lanes
        .store()
        .join(
            new RelayIdentity(UUID.randomUUID(), "north", "tests"),
            List.of(new ServedDestination("shop", Set.of("A"))),
            Duration.ofHours(1));
    awaitFound(DoctorCheck.TYPE_NOT_SERVED, Severity.NOTE, "type 'B'");
    assertThat(find(DoctorCheck.TYPE_NOT_SERVED)).hasSize(1);
  }

  @Test
  void a_type_that_no_relay_has_the_code_for_is_found() {
    FakeConnector connector = FakeConnector.acking().serving(type -> !type.equals("B"));
    try (Relay relay = relay(connector)) {
      lanes.add(typed("B", "1"));
      awaitFound(DoctorCheck.TYPE_NOT_SERVED, Severity.WARNING, "1 message of type 'B'", "'shop'");
    }
  }

  @Test
  void a_route_with_a_misspelt_type_is_found() {
    database.store().verify("test");
    lanes
        .store()
        .register("tests", List.of(new ServedDestination("shop", Set.of("OrderPlcaed", "Rare"))));
    assertThat(find(DoctorCheck.TYPE_NEVER_ADDED).get(0).severity()).isEqualTo(Severity.OK);

    lanes.add(typed("OrderPlaced", "1"));
    awaitFound(
        DoctorCheck.TYPE_NEVER_ADDED,
        Severity.WARNING,
        "type 'OrderPlcaed' is routed to 'shop'",
        "'OrderPlaced' is added, and is not routed there",
        "posthorn destinations rewind");
    awaitFound(DoctorCheck.TYPE_NEVER_ADDED, Severity.NOTE, "type 'Rare'");
  }

  @Test
  void a_type_that_no_route_wants_is_found() {
    try (Relay relay = relay(FakeConnector.acking(), "A")) {
      lanes.add(typed("C", "1"));
      awaitFound(DoctorCheck.TYPE_WITHOUT_ROUTE, Severity.WARNING, "type 'C'", RelayStore.UNROUTED);
    }
  }

  @Test
  void a_destination_that_cannot_be_sent_to_or_does_not_answer_is_found() {
    FakeConnector connector =
        FakeConnector.acking()
            .outcome(m -> Outcome.unavailable(Reason.of(Reason.UNREACHABLE, "no way there")))
            .finding(() -> List.of(Finding.problem(Reason.of(Reason.NO_ADDRESS, "no topic 'x'"))));
    try (Relay relay = relay(connector)) {
      lanes.commit("1");
      awaitFound(
          DoctorCheck.DESTINATION_CHECK, Severity.FAULT, "NO_ADDRESS", "check shop", "'north'");
      awaitFound(DoctorCheck.BREAKER, Severity.FAULT, "'shop' does not answer", "check shop");
    }
    assertThat(find(DoctorCheck.DESTINATION_CHECK))
        .as("what a relay found that is gone")
        .noneMatch(x -> x.severity() == Severity.FAULT);
  }

  @Test
  void what_a_person_paused_is_a_note_and_held_keys_are_found() {
    lanes.take("shop");
    database.pause("shop", true);
    awaitFound(DoctorCheck.PAUSED, Severity.NOTE, "'shop'", "the test", "resume shop");
    database.execute(
        "INSERT INTO posthorn_held (destination, aggregate_type, key, dead_id) VALUES "
            + "('shop', 'order', '7', gen_random_uuid())");
    awaitFound(DoctorCheck.HELD_KEYS, Severity.WARNING, "1 key of 'shop'", "release shop");
  }

  @Test
  void a_log_that_is_not_emptied_and_letters_that_go_are_found() {
    lanes.take("shop");
    lanes.commit("1");
    database.pass(Duration.ofDays(9));
    awaitFound(DoctorCheck.RETENTION_BLOCKED, Severity.WARNING, "waits for shop");
    database.execute(
        """
        INSERT INTO posthorn_dead (destination, message_id, type, schema_version, payload, content_type, headers,
                                   occurred_at, recorded_at, seq, position, reason, last_reason, error, fingerprint,
                                   attempts, first_failed_at, last_failed_at, created_at)
        VALUES ('shop', gen_random_uuid(), 'A', 1, '', 'text/plain', '{}', now(), now(), 1, 1, 'X', 'X', '', 'x', 1,
                now(), now(), now() - interval '25 days')
        """);
    awaitFound(DoctorCheck.LETTERS_EXPIRE, Severity.WARNING, "1 dead letter of 'shop'");
  }
}
