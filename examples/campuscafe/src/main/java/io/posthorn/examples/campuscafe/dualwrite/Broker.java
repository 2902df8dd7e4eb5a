package io.posthorn.examples.campuscafe.dualwrite;

import java.util.UUID;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Sends an event right away, in the middle of the transaction or beside it. */
@Component
class Broker {
  private final KafkaTemplate<String, String> kafka;
  private final JsonMapper json;

  Broker(KafkaTemplate<String, String> kafka, JsonMapper json) {
    this.kafka = kafka;
    this.json = json;
  }

  // That nobody looks at the result is the bug, and so common that the compiler warns of it.
  @SuppressWarnings("FutureReturnValueIgnored")
  void send(UUID order, Object event) {
    kafka.send(
        "dual." + event.getClass().getSimpleName(),
        order.toString(),
        json.writeValueAsString(event));
  }

  <T> T read(String text, Class<T> type) {
    return json.readValue(text, type);
  }
}
