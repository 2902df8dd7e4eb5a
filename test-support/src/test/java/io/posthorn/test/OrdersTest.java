package io.posthorn.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.test.Orders.OrderPlaced;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests of an application, as the guide shows them. */
class OrdersTest {
  // guide:extension
  @RegisterExtension
  static final PosthornTest posthorn =
      PosthornTest.embedded()
          .types(Orders.TYPES)
          .payloads(Orders::read) // yours is mapper::readValue
          .deliversTo("mail", "OrderPlaced")
          .deliversTo("billing");

  final Orders orders = new Orders(posthorn.dataSource());

  // guide:end

  // guide:added
  @Test
  void placing_an_order_publishes_it() throws SQLException {
    orders.place("42", 100);

    assertThat(posthorn.outbox())
        .holdsOne(OrderPlaced.class)
        .withKey("42")
        .withHeader("correlation-id", "request-7")
        .withPayload(placed -> assertThat(placed.total()).isEqualTo(100));
  }

  @Test
  void an_order_that_fails_publishes_nothing() throws SQLException {
    orders.placeAndFail("42");

    assertThat(posthorn.outbox()).holdsNothing();
  }

  // guide:end

  // guide:delivered
  @Test
  void each_receiver_gets_what_it_wants_in_order() throws SQLException {
    orders.place("42", 100);
    orders.pay("42");

    posthorn.deliverAll().withoutProblems();

    assertThat(posthorn.destination("mail").received()).holdsInOrder("OrderPlaced");
    assertThat(posthorn.destination("billing").received()).holdsInOrder("OrderPlaced", "OrderPaid");
  }

  // guide:end

  // guide:failing
  @Test
  void a_mail_that_fails_twice_is_sent_at_the_third_attempt() throws SQLException {
    orders.place("42", 100);
    posthorn.destination("mail").failsNext(2);

    posthorn.deliverAll(); // the first attempt
    posthorn.retryAll(); // the second, as if the backoff were over
    assertThat(posthorn.destination("mail").received()).holdsNothing();

    posthorn.retryAll().withoutProblems();
    assertThat(posthorn.outbox()).holdsOne(OrderPlaced.class).isSentTo("mail");
  }

  @Test
  void a_mail_that_is_refused_is_a_dead_letter() throws SQLException {
    orders.place("42", 100);
    posthorn.destination("mail").rejectsNext(1);

    posthorn.deliverAll();

    assertThat(posthorn.outbox()).holdsOne(OrderPlaced.class).isDeadAt("mail").isSentTo("billing");
  }

  // guide:end

  // guide:time
  @Test
  void a_reminder_is_sent_when_its_time_has_come() throws SQLException {
    orders.remind("42", Instant.now().plus(Duration.ofDays(3)));

    posthorn.deliverAll();
    assertThat(posthorn.destination("billing").received()).holdsNothing();

    posthorn.letPass(Duration.ofDays(3));
    posthorn.deliverAll();
    assertThat(posthorn.destination("billing").received()).holdsInOrder("OrderPaid");
  }
  // guide:end
}
