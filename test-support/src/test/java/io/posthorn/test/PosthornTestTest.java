package io.posthorn.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.InProcess;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.MessageState;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Tables;
import io.posthorn.test.Orders.OrderPaid;
import io.posthorn.test.Orders.OrderPlaced;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PosthornTestTest {
  @RegisterExtension
  static final PosthornTest posthorn =
      PosthornTest.embedded()
          .types(Orders.TYPES)
          .payloads(Orders::read)
          .deliversTo("mail", "OrderPlaced");

  final Orders orders = new Orders(posthorn.dataSource());

  @Test
  void nothing_is_delivered_before_the_test_says_so() throws SQLException {
    orders.place("42", 100);
    assertThat(posthorn.destination("mail").received()).holdsNothing();
    assertThat(posthorn.outbox())
        .holdsOne(OrderPlaced.class)
        .hasState("mail", MessageState.PENDING);
  }

  @Test
  void every_test_begins_with_an_empty_outbox_and_stand_ins_that_know_nothing()
      throws SQLException {
    orders.place("42", 100);
    posthorn.destination("mail").failsNext(1);
    posthorn.reset();
    assertThat(posthorn.outbox()).holdsNothing();
    orders.place("43", 100);
    posthorn.deliverAll().withoutProblems();
    assertThat(posthorn.destination("mail").received()).holdsOne(OrderPlaced.class).withKey("43");
  }

  @Test
  void a_failed_expectation_shows_what_the_outbox_holds() throws SQLException {
    orders.place("42", 100);
    orders.pay("42");
    assertThatThrownBy(
            () -> assertThat(posthorn.outbox()).holdsOne(OrderPlaced.class).withKey("43"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(
            "Expected the outbox to hold one 'OrderPlaced' with key 43, but it has:")
        .hasMessageContaining("1. OrderPlaced, key order/42, {\"order\":\"42\",\"total\":100}")
        .hasMessageContaining("'mail': PENDING")
        .hasMessageContaining("2. OrderPaid, key order/42");
    assertThatThrownBy(() -> assertThat(posthorn.outbox()).holdsNothing())
        .hasMessageContaining("to hold nothing");
    assertThatThrownBy(() -> assertThat(posthorn.outbox()).as("shop").holds(2, OrderPaid.class))
        .hasMessageContaining("[shop]");
  }

  @Test
  void lists_can_be_narrowed_and_read_as_events() throws SQLException {
    orders.place("42", 100);
    orders.place("43", 200);
    orders.pay("42");
    assertThat(posthorn.outbox().ofKey("42")).holds(2).holdsOne(OrderPlaced.class);
    assertThat(posthorn.outbox().events(OrderPlaced.class))
        .containsExactly(new OrderPlaced("42", 100), new OrderPlaced("43", 200));
  }

  @Test
  void problems_are_reported_with_the_message_and_the_reason() throws SQLException {
    orders.place("1", 1);
    orders.place("2", 2);
    orders.pay("3");
    posthorn.destination("mail").failsNext(1).rejectsNext(1);
    Delivered delivered = posthorn.deliverAll();
    assertThat(delivered.problems())
        .hasSize(3)
        .anySatisfy(
            line ->
                assertThat(line)
                    .contains("OrderPlaced", "order/1", "'mail'", "failed: TEST_FAILURE", "PT10M"))
        .anySatisfy(line -> assertThat(line).contains("order/2", "is dead: REJECTED"))
        .anySatisfy(line -> assertThat(line).contains("OrderPaid", "has no route"));
    assertThatThrownBy(delivered::withoutProblems).isInstanceOf(AssertionError.class);
  }

  @Test
  void a_destination_that_is_down_gets_everything_when_it_is_back() throws SQLException {
    orders.place("42", 100);
    posthorn.destination("mail").goesDown();
    assertThat(posthorn.deliverAll().problems())
        .anySatisfy(line -> assertThat(line).contains("'mail' does not answer: UNREACHABLE"));
    posthorn.destination("mail").comesBack();
    posthorn.deliverAll().withoutProblems();
    assertThat(posthorn.outbox()).holdsOne(OrderPlaced.class).isSentTo("mail");
  }

  @Test
  void a_message_waits_behind_the_failed_one_of_its_key() throws SQLException {
    orders.place("42", 1);
    orders.place("42", 2);
    orders.place("43", 3);
    posthorn.destination("mail").failsNext(1);
    posthorn.deliverAll();
    assertThat(posthorn.destination("mail").received().events(OrderPlaced.class))
        .containsExactly(new OrderPlaced("43", 3));
    posthorn.letPass(TestDestination.BACKOFF);
    posthorn.deliverAll().withoutProblems();
    assertThat(posthorn.destination("mail").received().ofKey("42").events(OrderPlaced.class))
        .containsExactly(new OrderPlaced("42", 1), new OrderPlaced("42", 2));
  }

  @Test
  void real_destinations_are_delivered_to_and_their_refusals_are_reported() throws SQLException {
    PosthornTest real =
        PosthornTest.embedded()
            .types(Orders.TYPES)
            .deliversTo(
                Destination.named(
                        "stock",
                        InProcess.handlers()
                            .on(
                                "OrderPlaced",
                                message -> {
                                  throw new RejectedException("OUT_OF_STOCK", "no cup is left");
                                })
                            .build())
                    .types("OrderPlaced")
                    .build());
    real.reset();
    new Orders(real.dataSource()).place("42", 100);
    assertThat(real.outbox()).holdsOne(OrderPlaced.class).hasState("stock", MessageState.PENDING);
    assertThat(real.deliverAll().problems()).singleElement().asString().contains("OUT_OF_STOCK");
    assertThat(real.outbox()).holdsOne(OrderPlaced.class).isDeadAt("stock");
  }

  @Test
  void what_was_added_before_anything_was_registered_is_delivered_too() throws SQLException {
    PosthornTest late = PosthornTest.embedded().types(Orders.TYPES).deliversTo("mail");
    new Orders(late.dataSource()).place("42", 100);
    late.deliverAll().withoutProblems();
    assertThat(late.destination("mail").received()).holdsOne(OrderPlaced.class);
  }

  @Test
  void a_database_of_another_environment_is_left_alone() throws SQLException {
    PosthornTest production = ownDatabase().environment("production").deliversTo("mail");
    production.reset();
    new Orders(production.dataSource()).place("42", 100);
    PosthornTest test = PosthornTest.on(production.dataSource()).deliversTo("mail");
    assertThatThrownBy(test::reset).hasMessageContaining("belongs to the environment 'production'");
    assertThat(production.outbox()).holds(1);
  }

  @Test
  void beside_a_relay_of_the_application_nothing_is_removed_or_delivered() {
    PosthornTest test = ownDatabase().deliversTo("mail");
    test.reset();
    try (Relay own = Relay.on(test.store(), "shop", "test").build().start()) {
      assertThatThrownBy(test::deliverAll).hasMessageContaining("of shop runs on this database");
      assertThatThrownBy(test::reset).hasMessageContaining("of shop runs on this database");
    }
    test.deliverAll().withoutProblems();
  }

  @Test
  void a_database_without_tables_is_reported() {
    PosthornTest test = PosthornTest.on(EmbeddedDatabase.empty().dataSource());
    assertThatThrownBy(test::reset).hasMessageContaining("Let your migrations create them");
  }

  @Test
  void tables_may_be_in_another_place() throws SQLException {
    Tables elsewhere = new Tables("messaging", "ph_");
    EmbeddedDatabase database = EmbeddedDatabase.empty();
    new Migrations(elsewhere).migrate(database.dataSource());
    PosthornTest test = PosthornTest.on(database.dataSource()).tables(elsewhere).deliversTo("all");
    test.reset();
    Outbox outbox = Outbox.on(test.store(), Orders.TYPES).build();
    try (Connection tx = test.dataSource().getConnection()) {
      tx.setAutoCommit(false);
      outbox.add(tx, List.of(Orders.TYPES.message(new OrderPaid("7"), Orders::write).build()));
      tx.commit();
    }
    test.deliverAll().withoutProblems();
    assertThat(test.destination("all").received()).holdsOne("OrderPaid").withKey("order", "7");
    test.reset();
    assertThat(test.outbox()).holdsNothing();
  }

  @ParameterizedTest
  @ValueSource(ints = {15, 16, 17})
  void a_test_gets_only_one_version_of_postgresql(int older) {
    String archive = "/postgresql/%d/postgres-linux-x86_64.txz".formatted(older);
    assertThat(EmbeddedPostgres.class.getResource(archive)).isNull();
  }

  private static PosthornTest ownDatabase() {
    EmbeddedDatabase database = EmbeddedDatabase.empty();
    new Migrations(Tables.DEFAULT).migrate(database.dataSource());
    return PosthornTest.on(database.dataSource()).types(Orders.TYPES);
  }
}
