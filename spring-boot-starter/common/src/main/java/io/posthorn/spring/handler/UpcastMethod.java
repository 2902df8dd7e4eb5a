package io.posthorn.spring.handler;

import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.message.PayloadWriter;
import io.posthorn.core.message.Upcaster;
import io.posthorn.spring.Upcast;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * A method with {@link Upcast}.
 *
 * @param beanType the class of the bean that is called, which may be a proxy's
 * @param method as it was declared
 */
record UpcastMethod(String bean, Class<?> beanType, Method method, Upcast annotation) {
  private boolean converts(Class<?> type) {
    return type != byte[].class;
  }

  /** Finds what is wrong with the method itself. */
  void check(boolean canRead, boolean canWrite, List<String> problems) {
    if (method.getParameterCount() != 1 || method.getParameterTypes()[0].isPrimitive()) {
      problems.add(this + " must have one parameter, which the payload is read as");
    } else if (converts(method.getParameterTypes()[0]) && !canRead) {
      problems.add(
          "%s takes a %s, but there is neither a bean of type PayloadReader nor Spring Boot's own Jackson mapper"
              .formatted(this, method.getParameterTypes()[0].getSimpleName()));
    }
    if (method.getReturnType() == void.class || method.getReturnType().isPrimitive()) {
      problems.add(this + " must return what is written as the payload");
    } else if (converts(method.getReturnType()) && !canWrite) {
      problems.add(
          "%s returns a %s, but there is neither a bean of type PayloadWriter nor Spring Boot's own Jackson mapper"
              .formatted(this, method.getReturnType().getSimpleName()));
    }
    try {
      AopUtils.selectInvocableMethod(method, beanType);
    } catch (IllegalStateException e) {
      problems.add("%s cannot be called on the bean's proxy: %s".formatted(this, e.getMessage()));
    }
  }

  /** The step that the method, which was checked before, is. */
  io.posthorn.core.message.Upcast step(
      Supplier<Object> target, @Nullable PayloadReader reader, @Nullable PayloadWriter writer) {
    PayloadReader reading =
        (payload, type) -> reader == null || !converts(type) ? payload : reader.read(payload, type);
    PayloadWriter writing =
        object ->
            object instanceof byte[] || writer == null ? (byte[]) object : writer.write(object);
    // Both late, and once: the bean may depend on others that are not created yet.
    SingletonSupplier<Object> bean = SingletonSupplier.of(target);
    SingletonSupplier<Method> invocable = SingletonSupplier.of(this::invocable);
    Upcaster upcaster =
        Upcaster.reading(
            method.getParameterTypes()[0],
            reading,
            writing,
            payload -> call(invocable.obtain(), bean.obtain(), payload));
    return new io.posthorn.core.message.Upcast(
        annotation.type(), annotation.from(), annotation.to(), upcaster, toString());
  }

  private Method invocable() {
    Method invocable = AopUtils.selectInvocableMethod(method, beanType);
    ReflectionUtils.makeAccessible(invocable);
    return invocable;
  }

  private static Object call(Method invocable, Object target, Object payload) {
    try {
      return invocable.invoke(target, payload);
    } catch (InvocationTargetException e) {
      ReflectionUtils.rethrowRuntimeException(e.getCause());
      throw new IllegalStateException(e);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String toString() {
    return "%s.%s of bean '%s'"
        .formatted(method.getDeclaringClass().getSimpleName(), method.getName(), bean);
  }
}
