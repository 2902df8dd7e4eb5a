package io.posthorn.spring.handler;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Map;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Finds the annotated methods of all beans. */
final class BeanMethods {
  private BeanMethods() {}

  /** Receives one method. */
  interface Found<A extends Annotation> {
    /**
     * Is called for each method.
     *
     * @param beanType the class of the bean that is called, which may be a proxy's
     */
    void method(String bean, Class<?> beanType, Method method, A annotation);
  }

  /** Finds the methods. Call it after all beans exist: before, some show only an interface. */
  static <A extends Annotation> void find(
      ConfigurableListableBeanFactory beans, Class<A> annotation, Found<A> found) {
    for (String bean : beans.getBeanNamesForType(Object.class)) {
      if (!ScopedProxyUtils.isScopedTarget(bean)) {
        findIn(bean, beans, annotation, found);
      }
    }
  }

  private static <A extends Annotation> void findIn(
      String bean, ConfigurableListableBeanFactory beans, Class<A> annotation, Found<A> found) {
    Class<?> target = AutoProxyUtils.determineTargetClass(beans, bean);
    Class<?> type = beans.getType(bean);
    if (target == null || type == null || !AnnotationUtils.isCandidateClass(target, annotation)) {
      return;
    }
    Map<Method, A> methods =
        MethodIntrospector.selectMethods(
            target,
            (MethodIntrospector.MetadataLookup<A>)
                method -> AnnotatedElementUtils.findMergedAnnotation(method, annotation));
    methods.forEach((method, one) -> found.method(bean, type, method, one));
  }
}
