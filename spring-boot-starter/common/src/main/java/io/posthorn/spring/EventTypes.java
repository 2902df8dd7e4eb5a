package io.posthorn.spring;

import io.posthorn.core.message.MessageType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The message types of event classes with {@link OutboxMessage}. */
public final class EventTypes {
  private EventTypes() {}

  /**
   * Finds the types in these packages and their subpackages.
   *
   * @param problems receives everything that is wrong with the annotations
   */
  public static List<MessageType> in(Collection<String> packages, List<String> problems) {
    var scanner = new ClassPathScanningCandidateComponentProvider(false);
    scanner.addIncludeFilter(new AnnotationTypeFilter(OutboxMessage.class, false));
    List<MessageType> types = new ArrayList<>();
    for (String name : packages) {
      for (BeanDefinition found : scanner.findCandidateComponents(name)) {
        types.add(typeOf(classOf(found), problems));
      }
    }
    return types;
  }

  private static Class<?> classOf(BeanDefinition found) {
    return ClassUtils.resolveClassName(
        String.valueOf(found.getBeanClassName()), ClassUtils.getDefaultClassLoader());
  }

  private static MessageType typeOf(Class<?> event, List<String> problems) {
    OutboxMessage outboxMessage = event.getAnnotation(OutboxMessage.class);
    if (!outboxMessage.key().isEmpty()) {
      if (outboxMessage.aggregate().isEmpty()) {
        problems.add(
            "@OutboxMessage of %s has a key but no aggregate; name the aggregate, for example \"order\""
                .formatted(event.getName()));
      }
      if (ReflectionUtils.findMethod(event, outboxMessage.key()) == null) {
        problems.add(
            "@OutboxMessage of %s has the key '%s', but the class has no such component or method without parameters"
                .formatted(event.getName(), outboxMessage.key()));
      }
    }
    return MessageType.named(outboxMessage.type())
        .schemaVersion(outboxMessage.schemaVersion())
        .from(event);
  }

  static Method keyMethod(Class<?> event) {
    String name = event.getAnnotation(OutboxMessage.class).key();
    Method method = ReflectionUtils.findMethod(event, name);
    if (method == null) {
      throw new IllegalStateException(event.getName() + " has no method " + name + "()");
    }
    ReflectionUtils.makeAccessible(method);
    return method;
  }
}
