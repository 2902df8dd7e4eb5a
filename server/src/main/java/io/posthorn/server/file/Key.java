package io.posthorn.server.file;

import io.posthorn.spring.StartAt;
import io.posthorn.spring.connector.DestinationProperties;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One key that a part of the file may have. The records that hold the settings are the model:
 * nothing else lists the keys.
 *
 * @param name as it is written in the file
 * @param defaults what holds if the key is missing; empty if nothing does
 * @param secret whether its value is never shown, and may be in a file of its own
 */
record Key(
    String name,
    RecordComponent component,
    List<String> defaults,
    boolean required,
    boolean secret) {
  /** What a key ends with whose value is the name of the file that has the secret. */
  static final String IN_FILE = "-file";

  private static final Set<String> SECRETS =
      Set.of(
          "password",
          "bearer-token",
          "secrets",
          "private-key-password",
          "client",
          "password-hash",
          "token-hash");

  private static final Set<String> FILES = Set.of("trust", "certificate", "private-key");

  // In Spring these have defaults elsewhere, so the records do not say it.
  private static final Map<Class<?>, Set<String>> REQUIRED_HERE =
      Map.of(
          DestinationProperties.class, Set.of("types"),
          DestinationProperties.Kafka.class, Set.of("topic", "servers"),
          DestinationProperties.Rabbitmq.class, Set.of("addresses"),
          DestinationProperties.Webhook.class, Set.of("url"));

  static List<Key> of(Class<?> record) {
    RecordComponent[] components = record.getRecordComponents();
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      // The annotations of defaults are those of the constructor's parameters.
      Parameter[] parameters = record.getDeclaredConstructor(types).getParameters();
      return IntStream.range(0, components.length)
          .mapToObj(i -> of(components[i], parameters[i].getAnnotation(DefaultValue.class)))
          .toList();
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("a record without its constructor", e);
    }
  }

  private static Key of(RecordComponent component, @Nullable DefaultValue defaults) {
    String name = nameOf(component.getName());
    boolean required =
        component.isAnnotationPresent(Required.class)
            || REQUIRED_HERE.getOrDefault(component.getDeclaringRecord(), Set.of()).contains(name)
            || (component.getType().isPrimitive() && defaults == null);
    return new Key(
        name,
        component,
        defaults == null ? List.of() : List.of(defaults.value()),
        required,
        SECRETS.contains(name));
  }

  static String nameOf(String component) {
    return component.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  Class<?> type() {
    return component.getType();
  }

  /** Whether there are keys below it, which are the components of its type. */
  boolean isPart() {
    return isPart(type());
  }

  static boolean isPart(Class<?> type) {
    return type.isRecord() && type != StartAt.class;
  }

  boolean isMap() {
    return Map.class.isAssignableFrom(type());
  }

  boolean isList() {
    return List.class.isAssignableFrom(type());
  }

  /** Whether its value is the name of a file. */
  boolean isFile() {
    return component.getDeclaringRecord() == ServerFile.TlsBundle.class && FILES.contains(name);
  }

  /** What each entry of a map, or each element of a list, is. */
  Class<?> element() {
    Type[] arguments = ((ParameterizedType) component.getGenericType()).getActualTypeArguments();
    return (Class<?>) arguments[arguments.length - 1];
  }
}
