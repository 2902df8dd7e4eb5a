package io.posthorn.kafka;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.EnvelopeFormat;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Sends messages and waits for the answers. */
final class Sent {
  private Sent() {}

  static KafkaConfig.Builder to(String topic) {
    return to(Broker.KAFKA.bootstrapServers(), topic);
  }

  static KafkaConfig.Builder to(String servers, String topic) {
    return KafkaConfig.to(servers, topic, EnvelopeFormat.cloudEvents("/tests"))
        .timeout(Duration.ofSeconds(8));
  }

  static Outcome once(KafkaConfig.Builder config, Message message) {
    try (KafkaConnector connector = new KafkaConnector(config.build())) {
      return once(connector, message);
    }
  }

  static Outcome once(Connector connector, Message message) {
    return all(connector, message).get(0);
  }

  static List<Outcome> all(Connector connector, Message... messages) {
    List<CompletableFuture<Outcome>> answers =
        IntStream.range(0, messages.length)
            .mapToObj(i -> new CompletableFuture<Outcome>().orTimeout(20, TimeUnit.SECONDS))
            .toList();
    connector.send(List.of(messages), (index, outcome) -> answers.get(index).complete(outcome));
    return answers.stream().map(CompletableFuture::join).toList();
  }

  /** Describes an outcome, for example {@code "Unavailable TIMEOUT"}. */
  static String text(Outcome outcome) {
    if (outcome instanceof Outcome.Failed failed) {
      return "Failed " + failed.reason().code();
    }
    if (outcome instanceof Outcome.Rejected rejected) {
      return "Rejected " + rejected.reason().code();
    }
    if (outcome instanceof Outcome.Unavailable unavailable) {
      return "Unavailable " + unavailable.reason().code();
    }
    return "Sent";
  }
}
