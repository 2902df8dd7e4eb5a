package io.posthorn.cli.terminal;

import java.lang.reflect.Proxy;

/**
 * Signals of the operating system. The JDK has them for programs, but only in a class whose mere
 * mention is a warning, so it is called by its name.
 */
public final class Signals {
  private Signals() {}

  /** Runs this on each such signal, for example {@code INT}, instead of ending the program. */
  public static void on(String name, Runnable action) {
    try {
      Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
      Object handler =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(),
              new Class<?>[] {handlerType},
              (proxy, method, args) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      Class<?> signalType = Class.forName("sun.misc.Signal");
      Object signal = signalType.getConstructor(String.class).newInstance(name);
      signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, handler);
    } catch (ReflectiveOperationException e) {
      // A JVM without signals ends as it always does.
      return;
    }
  }
}
