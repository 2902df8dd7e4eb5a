package io.posthorn.crashtests;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** Tells a {@link CrashPlan} before and after each statement and each commit. */
final class PlannedDataSource {
  private static final Pattern NAME = Pattern.compile("/\\* posthorn: (.*?) \\*/");

  private PlannedDataSource() {}

  static DataSource of(DataSource source, CrashPlan plan) {
    return around(
        DataSource.class,
        source,
        (method, arguments) -> {
          Object result = method.invoke(source, arguments);
          return result instanceof Connection connection ? connection(connection, plan) : result;
        });
  }

  private static Connection connection(Connection connection, CrashPlan plan) {
    return around(
        Connection.class,
        connection,
        (method, arguments) -> {
          boolean commits = method.getName().equals("commit");
          if (commits) {
            plan.reached("before commit");
          }
          Object result = method.invoke(connection, arguments);
          if (commits) {
            plan.reached("after commit");
          }
          return result instanceof PreparedStatement statement
              ? statement(statement, names((String) arguments[0]), plan)
              : result;
        });
  }

  private static PreparedStatement statement(
      PreparedStatement statement, List<String> names, CrashPlan plan) {
    return around(
        PreparedStatement.class,
        statement,
        (method, arguments) -> {
          boolean executes = method.getName().startsWith("execute");
          if (executes) {
            names.forEach(name -> plan.reached("before " + name));
          }
          Object result = method.invoke(statement, arguments);
          if (executes) {
            names.forEach(name -> plan.reached("after " + name));
          }
          return result;
        });
  }

  /** Several statements may make one round trip. */
  private static List<String> names(String sql) {
    return NAME.matcher(sql).results().map(match -> match.group(1)).toList();
  }

  private interface Call {
    Object of(Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T around(Class<T> type, T inner, Call call) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          try {
            return call.of(method, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        };
    return type.cast(
        Proxy.newProxyInstance(inner.getClass().getClassLoader(), new Class<?>[] {type}, handler));
  }
}
