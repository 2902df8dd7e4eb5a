package io.posthorn.spring;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Records the statements sent through the DataSource: each is one round trip. */
final class Statements implements BeanPostProcessor {
  private final List<String> seen = new CopyOnWriteArrayList<>();

  /** Returns the beginnings of writing statements, and the commits, since the last call. */
  List<String> take() {
    List<String> taken = List.copyOf(seen);
    seen.clear();
    return taken;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    return bean instanceof DataSource ? recording(bean, DataSource.class, this::dataSource) : bean;
  }

  private Object dataSource(String method, Object[] arguments, Object result) {
    return result instanceof Connection
        ? recording(result, Connection.class, this::connection)
        : result;
  }

  private Object connection(String method, Object[] arguments, Object result) {
    if (method.equals("prepareStatement")) {
      note((String) arguments[0]);
    } else if (method.equals("commit")) {
      seen.add("commit");
    }
    return result;
  }

  private void note(String sql) {
    String[] words = sql.replaceAll("(?s)/\\*.*?\\*/|--.*?\n", " ").strip().split("\\s+", 4);
    String verb = words[0].toLowerCase(Locale.ROOT);
    if (sql.contains("posthorn_lock_keys")) {
      seen.add("lock keys");
    } else if (verb.equals("update")) {
      seen.add("update " + words[1]);
    } else if (verb.equals("insert")) {
      seen.add("insert " + words[2]);
    }
  }

  private interface Call {
    Object on(String method, Object[] arguments, Object result);
  }

  private static Object recording(Object target, Class<?> type, Call call) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          try {
            return call.on(method.getName(), arguments, method.invoke(target, arguments));
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        };
    return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
  }
}
