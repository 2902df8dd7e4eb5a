package io.posthorn.core.bus;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connection as a handler sees it. It refuses every call that ends the transaction: a handler
 * that commits by itself would separate its effect from the receipt, and the message could take
 * effect twice.
 *
 * <p>This class reports the mistake early and clearly. A handler that works around it is stopped by
 * the store; see {@link io.posthorn.core.inbox.InboxStore#seal}.
 */
final class GuardedConnection implements InvocationHandler {
  private static final Set<String> REFUSED =
      Set.of("commit", "close", "abort", "setAutoCommit", "setTransactionIsolation");

  private final Connection connection;
  private final Connection guarded;
  private volatile boolean over;

  GuardedConnection(Connection connection) {
    this.connection = connection;
    this.guarded = proxy(Connection.class, this);
  }

  Connection asConnection() {
    return guarded;
  }

  /** Ends the handler's use of the connection: any later call fails. */
  void end() {
    over = true;
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    String name = method.getName();
    // A handler may roll back to its own savepoints.
    if (REFUSED.contains(name) || (name.equals("rollback") && args == null)) {
      throw refused(
          "the handler called %s(), but the transaction belongs to the subscription, which commits it together with the receipt after the handler has returned. Remove the call; to roll everything back, throw an exception."
              .formatted(name));
    }
    if (over && !name.equals("isClosed")) {
      throw refused(
          "%s() was called after the handler had returned, when its transaction was over. Use the connection only inside the handler, on the handler's thread."
              .formatted(name));
    }
    if (over) {
      return true;
    }
    Object result = call(connection, method, args);
    if (result instanceof Statement statement
        && Statement.class.isAssignableFrom(method.getReturnType())) {
      return proxy(method.getReturnType(), (p, m, a) -> ofStatement(statement, m, a));
    }
    return result;
  }

  /** A statement returns the guarded connection as its connection, never the real one. */
  private @Nullable Object ofStatement(
      Statement statement, Method method, @Nullable Object @Nullable [] args) throws Throwable {
    return method.getName().equals("getConnection") ? guarded : call(statement, method, args);
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(Connection.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static @Nullable Object call(
      Object object, Method method, @Nullable Object @Nullable [] args) throws Throwable {
    try {
      return method.invoke(object, args);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  private static PosthornException refused(String why) {
    return new PosthornException(ErrorCode.HANDLERS_TRANSACTION, "nothing was done: " + why);
  }
}
