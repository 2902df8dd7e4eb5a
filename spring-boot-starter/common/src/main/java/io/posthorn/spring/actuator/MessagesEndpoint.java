package io.posthorn.spring.actuator;

import io.posthorn.core.message.Key;
import io.posthorn.core.operate.story.MessageQuery;
import io.posthorn.core.operate.story.Messages;
import io.posthorn.core.store.MessageStory;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.lang.Nullable;

/** {@code /actuator/posthornmessages}: finds messages, and tells the story of one. */
@WebEndpoint(id = "posthornmessages")
public final class MessagesEndpoint {
  private final Messages messages;
  private final boolean showPayloads;

  public MessagesEndpoint(Messages messages, boolean showPayloads) {
    this.messages = messages;
    this.showPayloads = showPayloads;
  }

  /** One message with its states and its history. */
  record Story(
      UUID id,
      String type,
      @Nullable Key key,
      long seq,
      Instant occurredAt,
      Instant recordedAt,
      Content content,
      @Nullable UUID requeuedFrom,
      @Nullable MessageStory.Neighbour before,
      @Nullable MessageStory.Neighbour after,
      List<MessageStory.DeliveryStory> deliveries) {}

  /** Lists messages, newest first. A query by key or correlation id uses an index. */
  @ReadOperation
  public WebEndpointResponse<Object> list(
      @Nullable String key,
      @Nullable String correlationId,
      @Nullable String type,
      @Nullable String from,
      @Nullable String to,
      @Nullable String after,
      @Nullable String limit) {
    return Answers.of(
        () -> {
          MessageQuery.Builder query =
              MessageQuery.builder()
                  .correlationId(correlationId)
                  .type(type)
                  .from(Answers.time("from", from))
                  .to(Answers.time("to", to));
          if (key != null) {
            Key parsed = Answers.key(key);
            query.aggregateType(parsed.aggregateType()).key(parsed.id());
          }
          return messages.list(query.build(), Answers.number("after", after), Answers.limit(limit));
        });
  }

  /** Returns one message by its id. */
  @ReadOperation
  public WebEndpointResponse<Object> one(@Selector String id) {
    return Answers.ofOne(
        () -> messages.find(Answers.id("the id", id)).map(this::story),
        "there is no message %s, or it was removed after the retention".formatted(id));
  }

  private Story story(MessageStory found) {
    return new Story(
        found.message().id(),
        found.message().type(),
        found.message().key(),
        found.seq(),
        found.message().occurredAt(),
        found.recordedAt(),
        Content.of(found.message(), found.cipherKey(), showPayloads),
        found.requeuedFrom(),
        found.before(),
        found.after(),
        found.deliveries());
  }
}
