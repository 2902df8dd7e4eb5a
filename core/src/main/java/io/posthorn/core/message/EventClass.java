package io.posthorn.core.message;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a class of events says about its messages: type, version and key. */
final class EventClass {
  private final Class<?> event;
  private final @Nullable OutboxMessage annotation;

  /** The annotated methods and the aggregate types that they name. */
  private final Map<Method, String> keys = new LinkedHashMap<>();

  private EventClass(Class<?> event) {
    this.event = event;
    this.annotation = event.getAnnotation(OutboxMessage.class);
    if (event.isRecord()) {
      for (RecordComponent component : event.getRecordComponents()) {
        // An accessor that is written out does not inherit the annotation of its component.
        addKey(component.getAccessor(), component.getAnnotation(MessageKey.class));
      }
    }
    for (Method method : event.getMethods()) {
      addKey(method, method.getAnnotation(MessageKey.class));
    }
    for (Method method : event.getDeclaredMethods()) {
      addKey(method, method.getAnnotation(MessageKey.class));
    }
    addInheritedKeys(event);
  }

  /** A method does not inherit the annotation of the one that it implements or overrides. */
  private void addInheritedKeys(Class<?> of) {
    Stream.concat(Stream.ofNullable(of.getSuperclass()), Stream.of(of.getInterfaces()))
        .forEach(
            parent -> {
              for (Method method : parent.getDeclaredMethods()) {
                if (keys.keySet().stream().noneMatch(key -> same(key, method))) {
                  addKey(method, method.getAnnotation(MessageKey.class));
                }
              }
              addInheritedKeys(parent);
            });
  }

  private static boolean same(Method one, Method other) {
    return one.getName().equals(other.getName())
        && Arrays.equals(one.getParameterTypes(), other.getParameterTypes());
  }

  private void addKey(Method method, @Nullable MessageKey key) {
    if (key != null && !method.isBridge()) {
      keys.put(method, key.value());
    }
  }

  /** Whether objects of this class are events without being registered as such. */
  static boolean is(Class<?> candidate) {
    return candidate.isRecord()
        || candidate.isAnnotationPresent(OutboxMessage.class)
        || isKotlinDataClass(candidate);
  }

  /** Kotlin's counterpart of a record, which is not one for Java. */
  private static boolean isKotlinDataClass(Class<?> candidate) {
    return Stream.of(candidate.getAnnotations())
            .anyMatch(found -> found.annotationType().getName().equals("kotlin.Metadata"))
        && Stream.of(candidate.getDeclaredMethods())
            .anyMatch(method -> method.getName().startsWith("component1"));
  }

  /**
   * Returns the type of this class.
   *
   * @throws PosthornException with all problems of its annotations
   */
  static MessageType type(Class<?> event) {
    EventClass of = new EventClass(event);
    List<String> problems = of.problems();
    if (!problems.isEmpty()) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "the class %s was not registered as an event: %s."
              .formatted(event.getName(), String.join("; ", problems)));
    }
    return of.type();
  }

  private List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (event.getSimpleName().isEmpty()) {
      problems.add("an anonymous class has no name, so name its type with MessageType.named");
    }
    if (keys.size() > 1) {
      problems.add("it has several components or methods with @MessageKey; annotate one");
    }
    for (Method key : keys.keySet()) {
      if (key.getParameterCount() > 0
          || key.getReturnType() == void.class
          || Modifier.isStatic(key.getModifiers())) {
        problems.add(
            "@MessageKey is on %s(…), which must have no parameters, return the id and not be static"
                .formatted(key.getName()));
      }
      try {
        key.setAccessible(true);
      } catch (InaccessibleObjectException e) {
        problems.add(
            "its module does not let Posthorn read %s(); open the package to io.posthorn.core"
                .formatted(key.getName()));
      }
    }
    return problems;
  }

  private MessageType type() {
    String name =
        annotation == null || annotation.type().isEmpty()
            ? event.getSimpleName()
            : annotation.type();
    MessageType type =
        MessageType.named(name).schemaVersion(annotation == null ? 1 : annotation.schemaVersion());
    if (keys.isEmpty()) {
      return type.from(event);
    }
    Map.Entry<Method, String> key = keys.entrySet().iterator().next();
    return type.from(event, key.getValue(), object -> idOf(object, key.getKey(), name));
  }

  private static String idOf(Object event, Method key, String type) {
    Object id;
    try {
      id = key.invoke(event);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw noKey(event, key, type, "failed. See the cause", e);
    }
    if (id == null) {
      throw noKey(event, key, type, "is null, but messages without a key have no order", null);
    }
    return id.toString();
  }

  private static PosthornException noKey(
      Object event, Method key, String type, String why, @Nullable Throwable cause) {
    return new PosthornException(
        ErrorCode.INVALID_MESSAGE,
        "message '%s' was not created: its key %s.%s() %s."
            .formatted(type, event.getClass().getName(), key.getName(), why),
        cause);
  }
}
