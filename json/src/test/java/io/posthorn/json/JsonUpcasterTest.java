package io.posthorn.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.UnreadablePayloadException;
import io.posthorn.core.message.Upcast;
import io.posthorn.core.message.Upcaster;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class JsonUpcasterTest {
  private static String upcast(Upcaster upcaster, String json) throws Exception {
    return new String(upcaster.upcast(json.getBytes(UTF_8)), UTF_8);
  }

  @Test
  void a_json_object_is_changed_in_place() throws Exception {
    Upcaster euros = JsonUpcaster.of(order -> order.put("currency", "EUR"));
    assertThat(upcast(euros, "{\"total\": 12345678901234567890.10}"))
        .isEqualTo("{\"total\":12345678901234567890.10,\"currency\":\"EUR\"}");
  }

  @Test
  void what_is_not_a_json_object_is_refused_without_quoting_it() {
    Upcaster any = JsonUpcaster.of(order -> {});
    assertThatThrownBy(() -> upcast(any, "{\"iban\": DE00"))
        .isInstanceOf(UnreadablePayloadException.class)
        .hasMessage("the payload is not valid JSON");
    assertThatThrownBy(() -> upcast(any, "\"DE00\""))
        .hasMessage("the payload is not a JSON object");
  }

  @Test
  void the_mapper_reads_trees_and_earlier_classes_for_upcasters_of_objects() {
    record OrderV1(String id) {}
    record OrderV2(String id, String currency) {}
    JsonPayloads json = new JsonPayloads();
    MessageTypes types =
        MessageTypes.named("Order")
            .upcasting(
                Upcast.of(
                    "Order",
                    1,
                    2,
                    Upcaster.reading(OrderV1.class, json, json, v1 -> new OrderV2(v1.id(), "EUR"))),
                Upcast.of(
                    "Order",
                    2,
                    3,
                    Upcaster.reading(ObjectNode.class, json, json, tree -> tree.put("lines", 0))));
    Message old = Message.of("Order").json("{\"id\":\"o-1\"}".getBytes(UTF_8)).build();
    assertThat(new String(types.versions().upcast(old, 3).payload(), UTF_8))
        .isEqualTo("{\"id\":\"o-1\",\"currency\":\"EUR\",\"lines\":0}");
  }
}
