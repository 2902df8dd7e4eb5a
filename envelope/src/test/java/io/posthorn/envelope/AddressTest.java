package io.posthorn.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import org.junit.jupiter.api.Test;

class AddressTest {
  private static final Message ORDER =
      Message.of("OrderPlaced").key("Order", "42").header("tenant", "north").build();

  @Test
  void a_fixed_address_is_the_same_for_all() {
    Address address = Address.of("orders.v1");
    assertThat(address.isFixed()).isTrue();
    assertThat(address.of(ORDER)).isEqualTo("orders.v1");
  }

  @Test
  void a_template_is_filled_in_from_the_message() {
    Address address = Address.of("{header.tenant}.{aggregateType}.{type}-{schemaVersion}/{key}");
    assertThat(address.isFixed()).isFalse();
    assertThat(address.of(ORDER)).isEqualTo("north.Order.OrderPlaced-1/42");
    assertThat(address.of(ORDER, String::toUpperCase)).startsWith("NORTH.ORDER.");
  }

  @Test
  void a_message_that_lacks_a_value_is_rejected_with_its_name() {
    Message bare = Message.of("T").build();
    for (String value : new String[] {"key", "aggregateType", "header.tenant"}) {
      assertThatThrownBy(() -> Address.of("x.{" + value + "}").of(bare))
          .isInstanceOf(RejectedException.class)
          .hasMessageContaining("{" + value + "}");
    }
  }

  @Test
  void the_path_and_the_query_of_a_url_are_not_shown() {
    Message bare = Message.of("T").build();
    for (String url :
        new String[] {
          "https://example.org/hooks/s3cr3t/{header.tenant}?key=s3cr3t",
          "https://example.org/{header.tenant}/s3cr3t",
          "https://example.org?key=s3cr3t&t={header.tenant}"
        }) {
      assertThatThrownBy(() -> Address.of(url).of(bare))
          .hasMessageContaining("https://example.org")
          .hasMessageContaining("{header.tenant}")
          .hasMessageNotContaining("s3cr3t");
      assertThat(Address.of(url).toString()).doesNotContain("s3cr3t");
      assertThatThrownBy(() -> Address.of(url + "/s3cr3t}")).hasMessageNotContaining("s3cr3t");
    }
    assertThat(Address.of("orders.{type}")).hasToString("orders.{type}");
    assertThat(Address.of("https://example.org/")).hasToString("https://example.org/");
  }

  @Test
  void all_problems_of_a_template_are_reported_at_once() {
    assertThat(Address.problems("{kee}.{header.}.{key")).hasSize(3);
    assertThat(Address.problems(" ")).hasSize(1);
    assertThat(Address.problems("a}b")).hasSize(1);
    assertThat(Address.problems("a.{key}")).isEmpty();
    assertThatThrownBy(() -> Address.of("{kee}"))
        .isInstanceOf(PosthornException.class)
        .hasMessageContaining("{kee}");
  }
}
