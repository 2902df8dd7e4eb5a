package io.posthorn.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SimilarTypesTest {
  private static final List<String> KNOWN =
      List.of("OrderPlaced", "OrderPaid", "order.cancelled", "Paid");

  @Test
  void a_misspelt_name_finds_the_type_that_it_means() {
    assertThat(SimilarTypes.closest("OrderPlcaed", KNOWN)).contains("OrderPlaced");
    assertThat(SimilarTypes.closest("OrderPlace", KNOWN)).contains("OrderPlaced");
    assertThat(SimilarTypes.closest("orderplaced", KNOWN)).contains("OrderPlaced");
    assertThat(SimilarTypes.closest("OrderCancelled", KNOWN)).contains("order.cancelled");
    assertThat(SimilarTypes.closest("OrderPayed", KNOWN)).contains("OrderPaid");
  }

  @Test
  void another_name_finds_nothing() {
    assertThat(SimilarTypes.closest("OrderShipped", KNOWN)).isEmpty();
    assertThat(SimilarTypes.closest("A", List.of("B"))).isEmpty();
    assertThat(SimilarTypes.closest("OrderPlaced", List.of("OrderPlaced"))).isEmpty();
  }
}
