package io.posthorn.spring;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.OutboxMessage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

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
        try {
          types.add(MessageType.of(classOf(found)));
        } catch (PosthornException e) {
          problems.add(e.getMessage());
        }
      }
    }
    return types;
  }

  private static Class<?> classOf(BeanDefinition found) {
    return ClassUtils.resolveClassName(
        String.valueOf(found.getBeanClassName()), ClassUtils.getDefaultClassLoader());
  }
}
