package io.posthorn.test;

import io.posthorn.core.message.Message;
import java.util.List;
import org.assertj.core.api.AbstractAssert;

/** Assertions on a list of messages; a failure shows the messages that the list holds. */
public final class MessageListAssert extends AbstractAssert<MessageListAssert, MessageList> {
  MessageListAssert(MessageList actual) {
    super(actual, MessageListAssert.class);
  }

  public MessageListAssert holdsNothing() {
    return check(actual.held().isEmpty(), "to hold nothing");
  }

  public MessageListAssert holds(int count) {
    return check(actual.held().size() == count, "to hold %d messages".formatted(count));
  }

  /** Checks the number of messages of this type, whatever others there are. */
  public MessageListAssert holds(int count, Class<?> event) {
    return holds(count, actual.payloads().typeOf(event));
  }

  /** Checks the number of messages of this type, whatever others there are. */
  public MessageListAssert holds(int count, String type) {
    return check(of(type).size() == count, "to hold %d of '%s'".formatted(count, type));
  }

  public MessageListAssert holdsNo(Class<?> event) {
    return holdsNo(actual.payloads().typeOf(event));
  }

  public MessageListAssert holdsNo(String type) {
    return check(of(type).isEmpty(), "to hold no '%s'".formatted(type));
  }

  /** Checks that there is one message of this type; further assertions are about that message. */
  public <E> MessageAssert<E> holdsOne(Class<E> event) {
    return new MessageAssert<>(actual, one(actual.payloads().typeOf(event)), event);
  }

  /** Checks that there is one message of this type; further assertions are about that message. */
  public MessageAssert<Object> holdsOne(String type) {
    return new MessageAssert<>(actual, one(type), Object.class);
  }

  /** Checks that the list holds messages of these types in this order, and no others. */
  public MessageListAssert holdsInOrder(String... types) {
    List<String> there = actual.messages().stream().map(Message::type).toList();
    return check(there.equals(List.of(types)), "to hold " + List.of(types) + " in this order");
  }

  private MessageWithDeliveries one(String type) {
    List<MessageWithDeliveries> of = of(type);
    check(of.size() == 1, "to hold one '%s'".formatted(type));
    return of.get(0);
  }

  private List<MessageWithDeliveries> of(String type) {
    return actual.held().stream().filter(held -> held.message().type().equals(type)).toList();
  }

  private MessageListAssert check(boolean holds, String expected) {
    if (!holds) {
      throw failure(
          "%s", "Expected %s %s, but it has:%n%s".formatted(actual.owner(), expected, shown()));
    }
    return this;
  }

  private String shown() {
    return MessageText.list(actual.held());
  }
}
