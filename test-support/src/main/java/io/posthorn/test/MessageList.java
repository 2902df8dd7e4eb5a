package io.posthorn.test;

import io.posthorn.core.message.Message;
import java.util.List;
import java.util.function.Predicate;
import org.assertj.core.api.AssertProvider;

/**
 * Messages in their order, as they were when they were asked for: those of the outbox, or those
 * that a destination received. AssertJ's own {@code assertThat} takes it.
 */
public final class MessageList implements AssertProvider<MessageListAssert> {
  private final String whose;
  private final List<Held> messages;
  private final Payloads payloads;

  MessageList(String whose, List<Held> messages, Payloads payloads) {
    this.whose = whose;
    this.messages = messages;
    this.payloads = payloads;
  }

  public List<Message> messages() {
    return messages.stream().map(Held::message).toList();
  }

  /** The payloads of this type, as objects; needs {@link PosthornTest#payloads}. */
  public <E> List<E> events(Class<E> event) {
    return ofType(event).messages().stream().map(message -> payloads.read(message, event)).toList();
  }

  public MessageList ofType(Class<?> event) {
    return ofType(payloads.typeOf(event));
  }

  public MessageList ofType(String type) {
    return only("of type '" + type + "'", message -> message.type().equals(type));
  }

  /** Those of a key with this id, of whatever aggregate type. */
  public MessageList ofKey(String id) {
    return only("of key " + id, message -> message.key() != null && message.key().id().equals(id));
  }

  private MessageList only(String which, Predicate<Message> condition) {
    return new MessageList(
        whose + " (only " + which + ")",
        messages.stream().filter(held -> condition.test(held.message())).toList(),
        payloads);
  }

  String whose() {
    return whose;
  }

  List<Held> held() {
    return messages;
  }

  Payloads payloads() {
    return payloads;
  }

  /** For AssertJ. */
  @Override
  public MessageListAssert assertThat() {
    return new MessageListAssert(this);
  }

  @Override
  public String toString() {
    return whose + ":\n" + Shown.list(messages);
  }
}
