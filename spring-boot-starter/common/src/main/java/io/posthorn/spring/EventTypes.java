package io.posthorn.spring;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.OutboxMessage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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

  /**
   * The names of the types of records in these packages and their subpackages that mark their key.
   * Such a record is registered when it is first added.
   */
  public static Set<String> namesOfKeyedRecords(Collection<String> packages) {
    var scanner = new ClassPathScanningCandidateComponentProvider(false);
    scanner.addIncludeFilter(
        (reader, factory) ->
            reader.getAnnotationMetadata().hasAnnotatedMethods(MessageKey.class.getName()));
    scanner.addExcludeFilter(new AnnotationTypeFilter(OutboxMessage.class, false));
    Set<String> names = new TreeSet<>();
    for (String name : packages) {
      scanner.findCandidateComponents(name).stream()
          .map(EventTypes::classOf)
          .filter(Class::isRecord)
          .forEach(record -> names.add(record.getSimpleName()));
    }
    return names;
  }

  private static Class<?> classOf(BeanDefinition found) {
    return ClassUtils.resolveClassName(
        String.valueOf(found.getBeanClassName()), ClassUtils.getDefaultClassLoader());
  }
}
