package io.posthorn.spring.modulith;

import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.OutboxMessage;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.modulith.events.Externalized;
import org.springframework.util.ClassUtils;

/**
 * Registers the targets of {@link Externalized} as types, if they are valid names of types. List
 * targets that come from expressions or from the application's configuration in {@code
 * posthorn.types}.
 */
final class ExternalizedTypes implements ImportBeanDefinitionRegistrar, BeanFactoryAware {
  /** The valid names of types; expressions do not match. */
  private static final Pattern TYPE = Pattern.compile("[A-Za-z][A-Za-z0-9._/-]{0,199}");

  private static final String NAME = "posthornExternalizedType:";

  private @Nullable ListableBeanFactory beans;

  @Override
  public void setBeanFactory(BeanFactory factory) {
    this.beans = (ListableBeanFactory) factory;
  }

  @Override
  public void registerBeanDefinitions(
      AnnotationMetadata importing, BeanDefinitionRegistry registry) {
    ListableBeanFactory factory = beans;
    if (factory == null || !AutoConfigurationPackages.has(factory)) {
      return;
    }
    for (String target : targets(AutoConfigurationPackages.get(factory))) {
      registry.registerBeanDefinition(
          NAME + target, new RootBeanDefinition(MessageType.class, () -> type(factory, target)));
    }
  }

  /** Prefers the application's own bean of this type, which holds more settings. */
  private static MessageType type(ListableBeanFactory factory, String target) {
    return Arrays.stream(factory.getBeanNamesForType(MessageType.class))
        .filter(name -> !name.startsWith(NAME))
        .map(name -> factory.getBean(name, MessageType.class))
        .filter(type -> type.name().equals(target))
        .findFirst()
        .orElseGet(() -> MessageType.named(target));
  }

  private static Set<String> targets(List<String> packages) {
    var scanner = new ClassPathScanningCandidateComponentProvider(false);
    scanner.addIncludeFilter(new AnnotationTypeFilter(Externalized.class));
    scanner.addExcludeFilter(new AnnotationTypeFilter(OutboxMessage.class, false));
    Set<String> targets = new LinkedHashSet<>();
    for (String name : packages) {
      for (BeanDefinition found : scanner.findCandidateComponents(name)) {
        String target = targetOf(String.valueOf(found.getBeanClassName()), name);
        if (TYPE.matcher(target).matches()) {
          targets.add(target);
        }
      }
    }
    return targets;
  }

  /**
   * Finds the target as Spring Modulith does: the text before the key, or the class's name within
   * the application's package.
   */
  private static String targetOf(String className, String applicationPackage) {
    Class<?> event = ClassUtils.resolveClassName(className, ClassUtils.getDefaultClassLoader());
    Externalized externalized =
        AnnotatedElementUtils.getMergedAnnotation(event, Externalized.class);
    String target = externalized == null ? "" : externalized.target().split("::", 2)[0].trim();
    return target.isEmpty() ? className.substring(applicationPackage.length() + 1) : target;
  }
}
