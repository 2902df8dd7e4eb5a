package io.posthorn.core.message;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The types of messages that this application may add. A type is always looked up by its logical
 * name, never by a class name. Renaming a class therefore changes nothing in the database or at a
 * receiver.
 */
public final class MessageTypes {
  private final Map<String, MessageType> byName = new ConcurrentHashMap<>();
  private final Map<Class<?>, MessageType> byClass = new ConcurrentHashMap<>();
  private final Set<Class<?>> registered;
  private final List<UnaryOperator<MessageType>> keys = new CopyOnWriteArrayList<>();
  private final boolean learns;

  private MessageTypes(List<MessageType> types, boolean learns) {
    types.forEach(this::register);
    this.registered = Set.copyOf(byClass.keySet());
    this.learns = learns;
  }

  private synchronized void register(MessageType given) {
    MessageType type = given;
    for (UnaryOperator<MessageType> rule : keys) {
      type = rule.apply(type);
    }
    Limits.checkTypeName(type.name());
    Class<?> event = type.eventClass();
    MessageType same = byName.get(type.name());
    if (same != null) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "type '%s' was not registered: a type of this name is already registered%s. Remove one, or name one with @OutboxMessage(type = …)."
              .formatted(
                  type.name(),
                  same.eventClass() == null ? "" : ", for " + same.eventClass().getName()));
    }
    if (event != null && byClass.containsKey(event)) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "type '%s' was not registered: %s already belongs to another type. Give each type its own class."
              .formatted(type.name(), event.getName()));
    }
    byName.put(type.name(), type);
    if (event != null) {
      byClass.put(event, type);
    }
  }

  /** Registers these types. */
  public static MessageTypes of(MessageType... types) {
    return new MessageTypes(List.of(types), false);
  }

  /**
   * Registers these types, and each class of events when it is first used: a record, or a class
   * with {@link OutboxMessage}. Types that are only names must be registered.
   */
  public static MessageTypes learning(MessageType... types) {
    return new MessageTypes(List.of(types), true);
  }

  /**
   * Sets the key of all events of this class or interface, for classes that you cannot or do not
   * want to annotate with {@link MessageKey}. Call it before the types are used.
   *
   * <pre>{@code
   * types.keyedBy(OrderEvent.class, "order", OrderEvent::orderId)
   * }</pre>
   *
   * @param id reads the id of the aggregate from an event; what it returns becomes a text
   * @throws PosthornException if one of these events already has a key
   */
  public synchronized <E> MessageTypes keyedBy(
      Class<E> events, String aggregateType, Function<? super E, ?> id) {
    UnaryOperator<MessageType> rule = type -> type.keyedBy(events, aggregateType, id);
    byName.replaceAll((name, type) -> rule.apply(type));
    byClass.replaceAll((event, type) -> rule.apply(type));
    keys.add(rule);
    of(events);
    return this;
  }

  /** Registers types of these names, without event classes and checks. */
  public static MessageTypes named(String... names) {
    return new MessageTypes(List.of(names).stream().map(MessageType::named).toList(), false);
  }

  /**
   * Starts a message from an event object: the type, the version and the key are those registered
   * for its class, and the payload is what the writer makes of it.
   *
   * @throws PosthornException if the class is not registered, or the writer fails
   */
  public Message.Builder message(Object event, PayloadWriter writer) {
    MessageType type = of(event.getClass()).orElseThrow(() -> notRegistered(event.getClass()));
    Message.Builder message =
        Message.of(type.name())
            .schemaVersion(type.schemaVersion())
            .json(bytesOf(type, event, writer));
    Function<Object, Key> keyOf = type.keyOf();
    if (keyOf != null) {
      Key key = keyOf.apply(event);
      message.key(key.aggregateType(), key.id());
    }
    return message;
  }

  /** The type of event objects of this class; empty if the class is not registered. */
  public Optional<MessageType> of(Class<?> event) {
    MessageType known = byClass.get(event);
    return known != null || !learns || !EventClass.is(event)
        ? Optional.ofNullable(known)
        : Optional.of(learn(event));
  }

  /**
   * The type that was registered for this class when this object was made; empty if it was learnt
   * since, or is not registered.
   */
  public Optional<MessageType> registered(Class<?> event) {
    return registered.contains(event) ? Optional.ofNullable(byClass.get(event)) : Optional.empty();
  }

  private synchronized MessageType learn(Class<?> event) {
    MessageType known = byClass.get(event);
    if (known != null) {
      return known;
    }
    MessageType type = MessageType.of(event);
    register(type);
    return byClass.getOrDefault(event, type);
  }

  /**
   * Checks the message as {@code Outbox.add} does.
   *
   * @throws PosthornException if its type is not registered, or a check of its type refuses it
   */
  public void check(Message message) {
    if (!contains(message.type())) {
      throw notRegistered(message.type());
    }
    problemWith(message)
        .ifPresent(
            problem -> {
              throw new PosthornException(
                  ErrorCode.REFUSED_BY_VALIDATOR,
                  "message '%s' (%s) was not added: %s. Correct the message; the check is registered with its type."
                      .formatted(message.type(), message.id(), problem));
            });
  }

  /** Whether a type of this name is registered. */
  public boolean contains(String type) {
    return byName.containsKey(type);
  }

  /** The first objection of its type's checks; empty if there is none, or the type is unknown. */
  public Optional<String> problemWith(Message message) {
    @Nullable MessageType type = byName.get(message.type());
    return type == null ? Optional.empty() : type.validator().problemWith(message);
  }

  private static byte[] bytesOf(MessageType type, Object event, PayloadWriter writer) {
    try {
      return writer.write(event);
    } catch (Exception e) {
      throw new PosthornException(
          ErrorCode.PAYLOAD_NOT_WRITTEN,
          "message '%s' was not created: the payload writer could not write a %s. See the cause."
              .formatted(type.name(), event.getClass().getName()),
          e);
    }
  }

  private PosthornException notRegistered(Class<?> event) {
    return new PosthornException(
        ErrorCode.TYPE_NOT_REGISTERED,
        "an event was not added: %s is not registered (registered: %s). %s."
            .formatted(
                event.getName(),
                new TreeSet<>(byName.keySet()),
                learns
                    ? "Make it a record, or annotate it with @OutboxMessage"
                    : "Add MessageType.of(%s.class) to MessageTypes"
                        .formatted(event.getSimpleName())));
  }

  private PosthornException notRegistered(String what) {
    return new PosthornException(
        ErrorCode.TYPE_NOT_REGISTERED,
        "message '%s' was not added: its type is not registered (registered: %s). Add the type to MessageTypes."
            .formatted(what, new TreeSet<>(byName.keySet())));
  }
}
