package io.posthorn.examples.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.examples.catalogue.products.Catalogue;
import io.posthorn.test.PosthornTest;
import java.math.BigDecimal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** What the catalogue tells, and what it does not. Nothing is delivered here. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.NONE,
    properties = "posthorn.relay.enabled=false")
class CatalogueTest {
  @RegisterExtension static final PosthornTest posthorn = PosthornTest.embedded();

  @Autowired private Catalogue catalogue;
  @Autowired private JdbcClient jdbc;

  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    registry.add("spring.datasource.url", posthorn::jdbcUrl);
  }

  @BeforeEach
  void nothing_is_sold() {
    jdbc.sql("DELETE FROM product").update();
  }

  @Test
  void a_new_price_is_published() {
    put("Cup", "7.50");
    put("Cup", "8.00");

    assertThat(posthorn.outbox().ofKey("cup"))
        .holdsInOrder("ProductPriceChanged", "ProductPriceChanged");
  }

  @Test
  void an_unchanged_price_publishes_nothing() {
    put("Cup", "7.50");
    put("Cup", "7.50");
    put("Cup", "7.5");
    put("Large cup", "7.50");

    assertThat(posthorn.outbox()).holdsInOrder("ProductPriceChanged");
    assertThat(jdbc.sql("SELECT name FROM product").query(String.class).single())
        .isEqualTo("Large cup");
  }

  @Test
  void a_change_that_fails_publishes_nothing() {
    assertThatThrownBy(() -> put("Cup", "1000000000.00"))
        .isInstanceOf(DataIntegrityViolationException.class);

    assertThat(posthorn.outbox()).holdsNothing();
  }

  private void put(String name, String price) {
    catalogue.put("cup", name, new BigDecimal(price));
  }
}
