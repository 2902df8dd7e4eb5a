package io.posthorn.rabbitmq;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Sends messages in one call and waits for all answers. */
final class Sent {
  private Sent() {}

  /** Returns outcomes such as {@code "Failed NACKED"}, in the order of the messages. */
  static List<String> all(Connector connector, Message... messages) {
    return outcomes(connector, List.of(messages)).stream().map(Sent::text).toList();
  }

  static String once(Connector connector, Message message) {
    return all(connector, message).get(0);
  }

  static List<Outcome> outcomes(Connector connector, List<Message> messages) {
    List<CompletableFuture<Outcome>> answers =
        Stream.generate(() -> new CompletableFuture<Outcome>()).limit(messages.size()).toList();
    connector.send(
        messages,
        (index, outcome) -> {
          if (!answers.get(index).complete(outcome)) {
            throw new AssertionError("answered twice: " + outcome);
          }
        });
    return answers.stream().map(answer -> answer.orTimeout(20, TimeUnit.SECONDS).join()).toList();
  }

  private static String text(Outcome outcome) {
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
