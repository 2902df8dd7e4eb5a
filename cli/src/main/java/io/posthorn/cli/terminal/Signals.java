package io.posthorn.cli.terminal;

import java.lang.reflect.Proxy;

/**
 * Handles signals of the operating system. The JDK's class for signals causes a compiler warning
 * wherever it is mentioned, so it is called by reflection.
 */
public final class Signals {
  private Signals() {}

  /**
   * Runs the action on each such signal, for example {@code INT}, instead of ending the program.
   */
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
      // A JVM without this class handles signals as usual.
      return;
    }
  }
}
