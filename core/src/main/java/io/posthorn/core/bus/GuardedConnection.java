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
 * The connection as a handler sees it. What ends the transaction is refused: a handler that commits
 * by itself would separate its effect from the receipt, and the message could take effect twice.
 * This tells it early and clearly; who finds a way round it is stopped by the store, see {@link
 * io.posthorn.core.inbox.InboxStore#seal}.
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

  /** The transaction has ended; whoever kept the connection gets an error. */
  void end() {
    over = true;
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args)
      throws Throwable {
    String name = method.getName();
    // A rollback to a savepoint is the handler's own affair.
    if (REFUSED.contains(name) || (name.equals("rollback") && args == null)) {
      throw refused(
          "the handler called %s(), but the transaction is the subscription's, which commits it together with the receipt after the handler has returned. Remove the call; throw an exception to have everything rolled back."
              .formatted(name));
    }
    if (over && !name.equals("isClosed")) {
      throw refused(
          "%s() was called after the handler had returned, and its transaction is over. Use the connection only inside the handler, on its own thread."
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

  /** A statement leads back to the connection it was made by, and to no other. */
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
