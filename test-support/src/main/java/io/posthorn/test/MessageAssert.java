package io.posthorn.test;

import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageState;
import io.posthorn.core.store.MessageStory.DeliveryStory;
import java.util.Optional;
import java.util.function.Consumer;
import org.assertj.core.api.AbstractAssert;

/** Assertions on one message. {@code E} is the class of its event, if it was named by a class. */
public final class MessageAssert<E> extends AbstractAssert<MessageAssert<E>, Message> {
  private final MessageList list;
  private final MessageWithDeliveries held;
  private final Class<E> event;

  MessageAssert(MessageList list, MessageWithDeliveries held, Class<E> event) {
    super(held.message(), MessageAssert.class);
    this.list = list;
    this.held = held;
    this.event = event;
  }

  /** Checks the id of its key, whatever the aggregate type. */
  public MessageAssert<E> withKey(String id) {
    Key key = actual.key();
    return check(key != null && key.id().equals(id), "with key " + id);
  }

  public MessageAssert<E> withKey(String aggregateType, String id) {
    Key key = new Key(aggregateType, id);
    return check(key.equals(actual.key()), "with key " + key);
  }

  public MessageAssert<E> withoutKey() {
    return check(actual.key() == null, "without a key");
  }

  public MessageAssert<E> withHeader(String name, String value) {
    return check(
        value.equals(actual.headers().get(name)), "with header %s: %s".formatted(name, value));
  }

  /** Checks the payload as an object; needs {@link PosthornTest#payloads}. */
  public MessageAssert<E> withPayload(Consumer<E> requirements) {
    requirements.accept(list.payloads().read(actual, event));
    return this;
  }

  /** Checks that the message was added with a time before which it is not sent. */
  public MessageAssert<E> isScheduled() {
    return check(actual.notBefore() != null, "that is scheduled");
  }

  public MessageAssert<E> isSentTo(String destination) {
    return hasState(destination, MessageState.SENT);
  }

  public MessageAssert<E> isDeadAt(String destination) {
    return hasState(destination, MessageState.DEAD);
  }

  /** Checks its state at a destination; only messages of the outbox have one. */
  public MessageAssert<E> hasState(String destination, MessageState state) {
    Optional<DeliveryStory> delivery =
        held.deliveries().stream().filter(one -> one.destination().equals(destination)).findAny();
    return check(
        delivery.filter(one -> one.state() == state).isPresent(),
        "that is %s at '%s'".formatted(state, destination));
  }

  private MessageAssert<E> check(boolean holds, String expected) {
    if (!holds) {
      throw failure(
          "%s",
          "Expected %s to hold one '%s' %s, but it has:%n%s"
              .formatted(list.owner(), actual.type(), expected, MessageText.list(list.held())));
    }
    return this;
  }
}
