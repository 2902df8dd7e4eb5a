package io.posthorn.examples.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.examples.catalogue.baskets.BasketLine;
import io.posthorn.examples.catalogue.baskets.Baskets;
import io.posthorn.examples.catalogue.orders.Orders;
import io.posthorn.examples.catalogue.products.Catalogue;
import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The whole shop with a real Kafka, on a road on which each message comes twice. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@DirtiesContext // its relay is closed while the servers still run
class BasketsTest {
  private static final Outside OUTSIDE = Outside.start();
  private static final BadRoad ROAD = OUTSIDE.road();

  @Autowired private Catalogue catalogue;
  @Autowired private Baskets baskets;
  @Autowired private Orders orders;

  private String cup;
  private String basket;

  @DynamicPropertySource
  static void servers(DynamicPropertyRegistry registry) {
    OUTSIDE.properties().forEach((property, value) -> registry.add(property, () -> value));
  }

  @BeforeEach
  void a_basket_with_a_cup() {
    cup = "cup-" + UUID.randomUUID();
    basket = "basket-" + UUID.randomUUID();
    catalogue.put(cup, "Cup", new BigDecimal("10.00"));
    await().until(() -> baskets.add(basket, cup));
    assertThat(line()).isEqualTo(line("10.00", null));
  }

  @Test
  void a_basket_shows_the_old_price_beside_the_new() {
    catalogue.put(cup, "Cup", new BigDecimal("12.00"));
    await().until(() -> !line().getNotice().isEmpty());

    ROAD.again();
    allPricesHaveCome();
    assertThat(line()).isEqualTo(line("12.00", "10.00"));
    assertThat(line().getNotice()).isEqualTo("The price was 10.00 and is 12.00 now.");
  }

  @Test
  void an_older_price_never_overwrites_a_newer() {
    ROAD.hold();
    catalogue.put(cup, "Cup", new BigDecimal("11.00"));
    catalogue.put(cup, "Cup", new BigDecimal("12.00"));
    catalogue.put(cup, "Cup", new BigDecimal("13.00"));
    await().until(() -> ROAD.waiting() == 3);
    ROAD.letGo();

    allPricesHaveCome();
    assertThat(line()).isEqualTo(line("13.00", "10.00"));
  }

  @Test
  void an_order_empties_its_basket_once() {
    orders.start(basket);
    await().until(() -> baskets.lines(basket).isEmpty());

    baskets.add(basket, cup);
    ROAD.again();
    allOrdersHaveCome();
    assertThat(baskets.lines(basket)).containsExactly(line("10.00", null));
  }

  /** What the road has brought before, with its copies, is handled before this. */
  private void allPricesHaveCome() {
    String last = "last-" + UUID.randomUUID();
    catalogue.put(last, "Last", BigDecimal.ONE);
    await().until(() -> baskets.add("watching", last));
  }

  private void allOrdersHaveCome() {
    String another = "another-" + UUID.randomUUID();
    await().until(() -> baskets.add(another, cup));
    orders.start(another);
    await().until(() -> baskets.lines(another).isEmpty());
  }

  private BasketLine line() {
    List<BasketLine> lines = baskets.lines(basket);
    assertThat(lines).hasSize(1);
    return lines.get(0);
  }

  private BasketLine line(String price, String oldPrice) {
    return new BasketLine(
        cup, "Cup", new BigDecimal(price), oldPrice == null ? null : new BigDecimal(oldPrice));
  }
}
