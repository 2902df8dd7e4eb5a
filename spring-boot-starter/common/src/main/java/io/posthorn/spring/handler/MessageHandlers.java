package io.posthorn.spring.handler;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.Subscription;
import io.posthorn.core.source.Source;
import io.posthorn.spring.MessageHandler;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** The methods with {@link MessageHandler} of all beans, grouped by consumer. */
public final class MessageHandlers {
  private final ConfigurableListableBeanFactory beans;
  private final Map<String, List<HandlerMethod>> byConsumer = new LinkedHashMap<>();

  private MessageHandlers(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  /** Finds the methods. Call it after all beans exist: before, some show only an interface. */
  public static MessageHandlers in(ConfigurableListableBeanFactory beans) {
    MessageHandlers found = new MessageHandlers(beans);
    for (String bean : beans.getBeanNamesForType(Object.class)) {
      if (!ScopedProxyUtils.isScopedTarget(bean)) {
        found.addMethodsOf(bean);
      }
    }
    return found;
  }

  private void addMethodsOf(String bean) {
    Class<?> target = AutoProxyUtils.determineTargetClass(beans, bean);
    Class<?> type = beans.getType(bean);
    if (target == null
        || type == null
        || !AnnotationUtils.isCandidateClass(target, MessageHandler.class)) {
      return;
    }
    Map<Method, MessageHandler> methods =
        MethodIntrospector.selectMethods(
            target,
            (MethodIntrospector.MetadataLookup<MessageHandler>)
                method -> AnnotatedElementUtils.findMergedAnnotation(method, MessageHandler.class));
    methods.forEach(
        (method, annotation) ->
            byConsumer
                .computeIfAbsent(annotation.consumer(), name -> new ArrayList<>())
                .add(new HandlerMethod(bean, type, method, annotation)));
  }

  public Set<String> consumers() {
    return byConsumer.keySet();
  }

  /**
   * Finds everything that is wrong.
   *
   * @param problems receives it, with the bean's and the method's names
   */
  public void check(Receiving receiving, List<String> problems) {
    byConsumer.values().forEach(methods -> check(methods, receiving, problems));
    for (String consumer : receiving.consumers().keySet()) {
      if (!byConsumer.containsKey(consumer)) {
        problems.add(
            "posthorn.consumers.%s: no method with @MessageHandler has this consumer; the consumers are %s"
                .formatted(consumer, new TreeSet<>(byConsumer.keySet())));
      }
    }
  }

  private void check(List<HandlerMethod> methods, Receiving receiving, List<String> problems) {
    ConsumerSettings settings = ConsumerSettings.of(methods, problems);
    Set<String> sources = receiving.sourceNames();
    if (!settings.source().isEmpty() && !sources.contains(settings.source())) {
      problems.add(
          "%s receives from the source '%s', which does not exist; the sources are %s. Configure it, or correct the name"
              .formatted(methods.get(0), settings.source(), new TreeSet<>(sources)));
    }
    Map<String, HandlerMethod> byType = new HashMap<>();
    for (HandlerMethod method : methods) {
      method.check(
          receiving.types(), receiving.reader() != null, settings.source().isEmpty(), problems);
      if (!beans.isSingleton(method.bean())) {
        problems.add(
            method + " does not belong to a singleton: a consumer needs exactly one bean to call");
      }
      String type = method.type(receiving.types()).orElse("");
      HandlerMethod other = type.isEmpty() ? null : byType.putIfAbsent(type, method);
      if (other != null) {
        problems.add(
            "consumer '%s' has two methods for '%s': %s and %s; keep one, or move one to another consumer"
                .formatted(method.consumer(), type, other, method));
      }
    }
  }

  /** The consumers that receive from a source. */
  public Set<String> consumersOfSources() {
    Set<String> consumers = new LinkedHashSet<>();
    byConsumer.forEach(
        (consumer, methods) -> {
          if (!ConsumerSettings.of(methods, new ArrayList<>()).source().isEmpty()) {
            consumers.add(consumer);
          }
        });
    return consumers;
  }

  /**
   * Subscribes the methods, which were checked before, to the bus.
   *
   * @param standIns gives a consumer another source than its own; null for its own
   */
  public void subscribe(
      Bus bus, Receiving receiving, Function<String, ? extends @Nullable Source> standIns) {
    byConsumer.forEach(
        (consumer, methods) -> {
          Subscription subscription = bus.subscribe(consumer);
          ConsumerSettings settings = ConsumerSettings.of(methods, new ArrayList<>());
          settings.applyTo(subscription);
          if (!settings.source().isEmpty()) {
            Source standIn = standIns.apply(consumer);
            Source own = receiving.sources().get(settings.source());
            subscription.from(
                Objects.requireNonNull(standIn == null ? own : standIn, settings.source()));
          }
          Set<Class<? extends Throwable>> neverRetried =
              new LinkedHashSet<>(settings.neverRetried());
          ConsumerProperties tuned = receiving.consumers().get(consumer);
          if (tuned != null) {
            tuned.applyTo(subscription, settings.retry());
            neverRetried.addAll(tuned.neverRetried());
          }
          subscription.classifier(receiving.classifier().rejecting(neverRetried));
          for (HandlerMethod method : methods) {
            subscription.on(
                method.type(receiving.types()).orElseThrow(),
                new HandlerCall(method, beans.getBean(method.bean()), receiving.reader()));
          }
        });
  }
}
