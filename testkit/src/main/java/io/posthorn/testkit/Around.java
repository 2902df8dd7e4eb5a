package io.posthorn.testkit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Does something around every call of a real object. */
@FunctionalInterface
public interface Around {
  @Nullable Object call(String name, Call call) throws Throwable;

  /** The real call. */
  interface Call {
    @Nullable Object proceed() throws Throwable;

    /** An argument that is not null. */
    Object argument(int index);
  }

  static <T> T calls(Class<T> type, T real, Around around) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                around.call(
                    method.getName(),
                    new Call() {
                      @Override
                      public @Nullable Object proceed() throws Throwable {
                        try {
                          return method.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                          throw e.getCause() == null ? e : e.getCause();
                        }
                      }

                      @Override
                      public Object argument(int index) {
                        return Objects.requireNonNull(arguments[index]);
                      }
                    })));
  }
}
