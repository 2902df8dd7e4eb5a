package io.posthorn.spring.modulith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.posthorn.spring.modulith.Shop.Both;
import io.posthorn.spring.modulith.Shop.Internal;
import io.posthorn.spring.modulith.Shop.InvoicePaid;
import io.posthorn.spring.modulith.Shop.InvoiceSent;
import io.posthorn.spring.modulith.Shop.Nameless;
import io.posthorn.spring.modulith.Shop.OrderPlaced;
import io.posthorn.spring.modulith.Shop.PriceChanged;
import io.posthorn.test.PosthornTest;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

@SpringBootTest(
    classes = Shop.class,
    webEnvironment = SpringBootTest.WebEnvironment.NONE,
    properties = "spring.modulith.events.jdbc.schema-initialization.enabled=true")
@DirtiesContext // so that the registry, which queries the database at its end, ends first
class ExternalizedEventsTest {
  @RegisterExtension
  static final PosthornTest posthorn = PosthornTest.embedded().deliversTo("broker");

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    registry.add("spring.datasource.url", posthorn::jdbcUrl);
  }

  @Autowired private Shop.Orders orders;
  @Autowired private Shop.Stock stock;
  @Autowired private ApplicationEventPublisher events;
  @Autowired private TransactionTemplate transaction;
  @Autowired private JdbcClient jdbc;

  @BeforeEach
  void empty() {
    jdbc.sql("CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY, total int NOT NULL)")
        .update();
    jdbc.sql("DELETE FROM orders").update();
    jdbc.sql("DELETE FROM event_publication").update();
  }

  @Test
  void an_externalized_event_is_a_message_with_the_target_as_type_and_the_routing_key_as_key() {
    orders.place("42", 7);

    assertThat(posthorn.outbox())
        .holdsOne("order-placed")
        .withKey("order-placed", "42")
        .withHeader("target", "order-placed");
    assertThat(payload()).isEqualTo("{\"order\":\"42\",\"total\":7}");
    posthorn.deliverAll().withoutProblems();
    assertThat(posthorn.destination("broker").received()).holdsInOrder("order-placed");
  }

  @Test
  void it_is_written_by_the_very_transaction_of_the_business_change() {
    orders.place("42", 7);

    assertThat(
            jdbc.sql(
                    """
                    SELECT count(*)
                      FROM posthorn_log l
                      JOIN orders o ON o.xmin = l.tx::xid
                    """)
                .query(Long.class)
                .single())
        .isEqualTo(1);
  }

  @Test
  void a_rollback_takes_it_along() {
    assertThatThrownBy(() -> orders.place("42", -1)).isInstanceOf(IllegalArgumentException.class);

    assertThat(posthorn.outbox()).holdsNothing();
  }

  @Test
  void publishing_without_a_transaction_is_an_error_for_the_publisher() {
    assertThatThrownBy(() -> events.publishEvent(new OrderPlaced("42", 7)))
        .hasMessageContaining("POSTHORN-003");
  }

  @Test
  void events_of_one_target_and_key_keep_their_order() {
    publish(new InvoiceSent("42"));
    publish(new InvoicePaid("42"));

    assertThat(posthorn.outbox().ofKey("42")).holdsInOrder("invoices", "invoices");
    assertThat(posthorn.outbox().messages().get(0).key())
        .isEqualTo(posthorn.outbox().messages().get(1).key());
  }

  @Test
  void a_class_that_has_a_type_keeps_it_and_the_target_is_a_header() {
    publish(new PriceChanged("cup", 3));

    assertThat(posthorn.outbox())
        .holdsOne("PriceChanged")
        .withKey("article", "cup")
        .withHeader("target", "catalogue");
  }

  @Test
  void without_a_target_the_type_is_the_name_within_the_application() {
    publish(new CacheWarmed("prices"));

    assertThat(posthorn.outbox()).holdsOne("CacheWarmed").withoutKey();
  }

  @Test
  void a_target_that_cannot_be_a_type_is_an_error_for_the_publisher() {
    assertThatThrownBy(() -> publish(new Nameless("x")))
        .hasMessageContaining("POSTHORN-002")
        .hasMessageContaining("Shop$Nameless");
  }

  @Test
  void an_event_with_both_annotations_goes_once() {
    publish(new Both("x"));

    assertThat(posthorn.outbox()).holdsInOrder("Both");
  }

  @Test
  void other_events_are_none_of_its_business() {
    publish(new Internal("x"));

    assertThat(posthorn.outbox()).holdsNothing();
  }

  @Test
  void modules_still_hear_events_and_the_registry_knows_of_them_only() {
    orders.place("heard", 7);

    await().untilAsserted(() -> assertThat(stock.heard()).contains(new OrderPlaced("heard", 7)));
    assertThat(jdbc.sql("SELECT listener_id FROM event_publication").query(String.class).list())
        .singleElement()
        .asString()
        .contains("Stock");
  }

  private void publish(Object event) {
    transaction.executeWithoutResult(status -> events.publishEvent(event));
  }

  private String payload() {
    return new String(posthorn.outbox().messages().get(0).payload(), StandardCharsets.UTF_8);
  }
}
