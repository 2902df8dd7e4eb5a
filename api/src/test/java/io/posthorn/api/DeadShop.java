package io.posthorn.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A relay whose receiver {@code mail} refuses every message, quoting it, until it is fixed. */
public final class DeadShop implements AutoCloseable {
  /** In the payload, in a header, in the error and in the stack trace of every message. */
  public static final String CANARY = "4929123443218765";

  private final RunningApi api;
  private final Queue<String> received = new ConcurrentLinkedQueue<>();
  private final Relay relay;
  private volatile boolean fixed;

  public DeadShop(RunningApi api) {
    this.api = api;
    this.relay =
        Relay.on(api.store(), "shop", "test")
            .destination(Destination.named("mail", receiver()).allTypes().build())
            .build()
            .start();
  }

  /** Adds orders of these customers, which die. */
  public List<UUID> dead(String... customers) throws SQLException {
    Outbox outbox = Outbox.on(api.store(), MessageTypes.named("OrderPlaced")).build();
    List<Message> messages = java.util.stream.Stream.of(customers).map(DeadShop::order).toList();
    try (Connection tx = api.dataSource().getConnection()) {
      tx.setAutoCommit(false);
      outbox.add(tx, messages);
      tx.commit();
    }
    long all = messages.size() + api.store().countLetters(DeadLetterQuery.waiting());
    await().until(() -> api.store().countLetters(DeadLetterQuery.waiting()) == all);
    return messages.stream().map(Message::id).toList();
  }

  private static Message order(String customer) {
    String json =
        "{\"customer\":{\"name\":\"%s\",\"card\":\"%s\"},\"items\":[{\"n\":1}]}"
            .formatted(customer, CANARY);
    return Message.of("OrderPlaced")
        .key("Order", customer)
        .header("customer-card", CANARY)
        .correlationId("c-" + customer)
        .json(json.getBytes(UTF_8))
        .build();
  }

  public void fix() {
    fixed = true;
  }

  public Queue<String> received() {
    return received;
  }

  private Connector receiver() {
    return new Connector() {
      @Override
      public boolean serves(String type) {
        return true;
      }

      @Override
      public void send(List<Message> messages, Answers answers) {
        for (int i = 0; i < messages.size(); i++) {
          String content = new String(messages.get(i).payload(), UTF_8);
          if (fixed) {
            received.add(content);
            answers.answer(i, Outcome.SENT);
          } else {
            answers.answer(
                i,
                Outcome.rejected(
                    Reason.of(
                        "HTTP_422",
                        new IllegalStateException("card " + CANARY + " of Anna was refused"))));
          }
        }
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void close() {
    relay.close();
  }
}
