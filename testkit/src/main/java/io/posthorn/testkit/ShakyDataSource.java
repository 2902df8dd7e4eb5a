package io.posthorn.testkit;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A database that is down at times, and whose connections break at the worst moments. */
final class ShakyDataSource implements DataSource {
  private final DataSource real;
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger broken = new AtomicInteger();
  private final AtomicInteger toBreak = new AtomicInteger();
  private final AtomicInteger toLose = new AtomicInteger();
  private volatile boolean away;

  ShakyDataSource(DataSource real) {
    this.real = real;
  }

  void away(boolean now) {
    away = now;
  }

  /** The next {@code times} connections break when a statement is prepared the fourth time. */
  void breakInUse(int times) {
    toBreak.set(times);
  }

  /** The next {@code times} commits are done, and then their connections break. */
  void loseAnswers(int times) {
    toLose.set(times);
  }

  int refused() {
    return refused.get();
  }

  int broken() {
    return broken.get();
  }

  @Override
  public Connection getConnection() throws SQLException {
    if (away) {
      refused.incrementAndGet();
      throw new SQLException("as if the database were away", "08001");
    }
    Connection connection = real.getConnection();
    int[] prepared = new int[1];
    boolean[] gone = new boolean[1];
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, args) -> {
              String name = method.getName();
              if (gone[0] && name.equals("isValid")) {
                return false;
              }
              if (gone[0] && !name.equals("close") && !name.equals("isClosed")) {
                throw lost();
              }
              boolean breaks =
                  name.equals("prepareStatement") && ++prepared[0] == 4 && take(toBreak);
              if (breaks) {
                broken.incrementAndGet();
                connection.rollback();
                gone[0] = true;
                // The handler may treat this in any way.
                throw new IllegalStateException("wrapped beyond recognition");
              }
              Object result = call(connection, method, args);
              if (name.equals("commit") && take(toLose)) {
                gone[0] = true;
                throw lost();
              }
              return result;
            });
  }

  private static boolean take(AtomicInteger left) {
    return left.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
  }

  private static SQLException lost() {
    return new SQLException("as if the connection were lost", "08006");
  }

  private static @Nullable Object call(
      Connection connection, Method method, @Nullable Object @Nullable [] args) throws Throwable {
    try {
      return method.invoke(connection, args);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return getConnection();
  }

  @Override
  public @Nullable PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter out) {}

  @Override
  public void setLoginTimeout(int seconds) {}

  @Override
  public int getLoginTimeout() {
    return 0;
  }

  @Override
  public Logger getParentLogger() {
    throw new UnsupportedOperationException();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return real.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return real.isWrapperFor(type);
  }
}
