package io.posthorn.benchmarks;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Counts statements, ends of transactions, and connections in use at the same time. */
final class CountingDataSource {
  private final AtomicLong statements = new AtomicLong();
  private final AtomicLong ends = new AtomicLong();
  private final AtomicInteger inUse = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  /** Returns a proxy of the data source that counts. */
  DataSource count(DataSource dataSource) {
    return counted(DataSource.class, dataSource);
  }

  void reset() {
    statements.set(0);
    ends.set(0);
    most.set(inUse.get());
  }

  long statements() {
    return statements.get();
  }

  /** Returns the number of commits and rollbacks. */
  long ends() {
    return ends.get();
  }

  int mostConnections() {
    return most.get();
  }

  private <T> T counted(Class<T> type, Object target) {
    return type.cast(
        Proxy.newProxyInstance(
            CountingDataSource.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              see(target, method.getName());
              try {
                return wrap(method.invoke(target, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private void see(Object target, String method) {
    if (target instanceof DataSource && method.equals("getConnection")) {
      most.accumulateAndGet(inUse.incrementAndGet(), Math::max);
    } else if (target instanceof Connection && method.equals("close")) {
      inUse.decrementAndGet();
    } else if (target instanceof Connection
        && (method.equals("commit") || method.equals("rollback"))) {
      ends.incrementAndGet();
    } else if (target instanceof Statement && method.startsWith("execute")) {
      statements.incrementAndGet();
    }
  }

  private @Nullable Object wrap(@Nullable Object result) {
    if (result instanceof Connection connection) {
      return counted(Connection.class, connection);
    } else if (result instanceof PreparedStatement statement) {
      return counted(PreparedStatement.class, statement);
    } else if (result instanceof Statement statement) {
      return counted(Statement.class, statement);
    }
    return result;
  }
}
