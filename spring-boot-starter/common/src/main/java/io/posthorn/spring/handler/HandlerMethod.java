package io.posthorn.spring.handler;

import io.posthorn.core.bus.Handling;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.SchemaVersions;
import io.posthorn.spring.MessageHandler;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/**
 * A method with {@link MessageHandler}.
 *
 * @param beanType the class of the bean that is called, which may be a proxy's
 * @param method as it was declared
 */
record HandlerMethod(String bean, Class<?> beanType, Method method, MessageHandler annotation) {
  private static final Set<Class<?>> SPECIAL_PARAMETERS =
      Set.of(Message.class, Handling.class, Connection.class);

  String consumer() {
    return annotation.consumer();
  }

  /** Returns the parameter classes that the payload is read as; empty if there are none. */
  private List<Class<?>> payloads() {
    List<Class<?>> payloads = new ArrayList<>();
    for (Class<?> parameter : method.getParameterTypes()) {
      if (!SPECIAL_PARAMETERS.contains(parameter)) {
        payloads.add(parameter);
      }
    }
    return payloads;
  }

  /** Returns the class that the payload is read as, or null if it is not read. */
  @Nullable Class<?> readAs() {
    List<Class<?>> payloads = payloads();
    return payloads.isEmpty() || payloads.get(0) == byte[].class ? null : payloads.get(0);
  }

  /** Returns the type that the method handles; empty if it cannot be determined. */
  Optional<String> type(MessageTypes types) {
    Class<?> event = readAs();
    if (!annotation.type().isEmpty() || event == null) {
      return Optional.of(annotation.type()).filter(type -> !type.isEmpty());
    }
    return types.of(event).map(MessageType::name);
  }

  /**
   * Returns the version that the method reads: the one that it names, or else that of its event's
   * class. Methods that take bytes, or a class that belongs to no type, read every version.
   */
  int version(MessageTypes types) {
    if (annotation.schemaVersion() != SchemaVersions.ANY) {
      return annotation.schemaVersion();
    }
    Class<?> event = readAs();
    return typeRead(event, types)
        .filter(of -> annotation.type().isEmpty() || of.name().equals(annotation.type()))
        .map(MessageType::schemaVersion)
        .orElse(SchemaVersions.ANY);
  }

  /** A class that only reads a type that the method names is no event of this application. */
  private Optional<MessageType> typeRead(@Nullable Class<?> event, MessageTypes types) {
    if (event == null) {
      return Optional.empty();
    }
    return annotation.type().isEmpty() ? types.of(event) : types.registered(event);
  }

  /** Returns the method to call, which may be that of an interface of the proxy. */
  Method invocable() {
    return AopUtils.selectInvocableMethod(method, beanType);
  }

  /**
   * Finds what is wrong with the method itself.
   *
   * @param inProcess whether its messages come from the log of this database
   */
  void check(MessageTypes types, boolean canRead, boolean inProcess, List<String> problems) {
    if (consumer().isBlank()) {
      problems.add(this + " has no consumer: name it, for example \"stock\"");
    }
    checkParameters(canRead, problems);
    if (annotation.schemaVersion() < 0) {
      problems.add(
          "%s has schemaVersion %d: versions count from 1"
              .formatted(this, annotation.schemaVersion()));
    }
    checkType(types, inProcess, problems);
    if (method.getReturnType() != void.class) {
      problems.add(
          "%s returns %s: make it void. The message counts as handled when the method returns"
              .formatted(this, method.getReturnType().getSimpleName()));
    }
    if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
        || AnnotatedElementUtils.hasAnnotation(method.getDeclaringClass(), Async.class)) {
      problems.add(
          this + " is @Async, so that it would be handled outside the transaction: remove @Async");
    }
    try {
      invocable();
    } catch (IllegalStateException e) {
      problems.add("%s cannot be called on the bean's proxy: %s".formatted(this, e.getMessage()));
    }
  }

  private void checkParameters(boolean canRead, List<String> problems) {
    List<Class<?>> payloads = payloads();
    Class<?> event = readAs();
    if (payloads.size() > 1) {
      problems.add(
          "%s has %d parameters for the payload (%s): keep one, in addition to Message, Handling and Connection"
              .formatted(
                  this,
                  payloads.size(),
                  String.join(", ", payloads.stream().map(Class::getSimpleName).toList())));
    } else if (event != null && event.isPrimitive()) {
      problems.add(
          "%s has a parameter that a payload cannot be read as: %s".formatted(this, event));
    } else if (event != null && !canRead) {
      problems.add(
          "%s takes a %s, but there is neither a bean of type PayloadReader nor Spring Boot's own Jackson mapper: add spring-boot-starter-json"
              .formatted(this, event.getSimpleName()));
    }
  }

  private void checkType(MessageTypes types, boolean inProcess, List<String> problems) {
    Optional<String> type = type(types);
    Class<?> event = readAs();
    if (type.isEmpty() && event != null && !event.isPrimitive()) {
      problems.add(
          "%s takes a %s, which is not registered for any type: give it @OutboxMessage or a MessageType bean, or name the type in @MessageHandler"
              .formatted(this, event.getName()));
    } else if (type.isEmpty() && event == null) {
      problems.add(this + " has no type: name it in @MessageHandler, or take the event");
    } else if (inProcess && type.isPresent() && !types.contains(type.get())) {
      problems.add(
          "%s handles '%s' from the log of this database, but no such type is registered: add it to posthorn.types, or name the source that its messages come from"
              .formatted(this, type.get()));
    }
  }

  @Override
  public String toString() {
    return "%s.%s of bean '%s'"
        .formatted(method.getDeclaringClass().getSimpleName(), method.getName(), bean);
  }
}
