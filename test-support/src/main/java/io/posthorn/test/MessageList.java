package io.posthorn.test;

import io.posthorn.core.message.Message;
import java.util.List;
import java.util.function.Predicate;
import org.assertj.core.api.AssertProvider;

/**
 * Messages in their order, as they were at the time of the call: those of the outbox, or those that
 * a destination received. AssertJ's own {@code assertThat} accepts it.
 */
public final class MessageList implements AssertProvider<MessageListAssert> {
  private final String owner;
  private final List<MessageWithDeliveries> messages;
  private final Payloads payloads;

  MessageList(String owner, List<MessageWithDeliveries> messages, Payloads payloads) {
    this.owner = owner;
    this.messages = messages;
    this.payloads = payloads;
  }

  public List<Message> messages() {
    return messages.stream().map(MessageWithDeliveries::message).toList();
  }

  /** Returns the payloads of this type as objects; needs {@link PosthornTest#payloads}. */
  public <E> List<E> events(Class<E> event) {
    return ofType(event).messages().stream().map(message -> payloads.read(message, event)).toList();
  }

  public MessageList ofType(Class<?> event) {
    return ofType(payloads.typeOf(event));
  }

  public MessageList ofType(String type) {
    return only("of type '" + type + "'", message -> message.type().equals(type));
  }

  /** Returns the messages whose key has this id, whatever the aggregate type. */
  public MessageList ofKey(String id) {
    return only("of key " + id, message -> message.key() != null && message.key().id().equals(id));
  }

  private MessageList only(String which, Predicate<Message> condition) {
    return new MessageList(
        owner + " (only " + which + ")",
        messages.stream().filter(held -> condition.test(held.message())).toList(),
        payloads);
  }

  String owner() {
    return owner;
  }

  List<MessageWithDeliveries> held() {
    return messages;
  }

  Payloads payloads() {
    return payloads;
  }

  /** Lets AssertJ's {@code assertThat} accept this list. */
  @Override
  public MessageListAssert assertThat() {
    return new MessageListAssert(this);
  }

  @Override
  public String toString() {
    return owner + ":\n" + MessageText.list(messages);
  }
}
