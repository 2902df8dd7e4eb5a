package io.posthorn.spring.handler;

import io.posthorn.core.bus.EventHandler;
import io.posthorn.core.bus.Handling;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.PayloadReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.util.ReflectionUtils;

/** Calls a bean's method with a message. */
final class HandlerCall implements EventHandler<Message> {
  private final HandlerMethod handler;
  private final Object bean;
  private final Method method;
  private final @Nullable Class<?> readAs;
  private final @Nullable PayloadReader reader;

  HandlerCall(HandlerMethod handler, Object bean, @Nullable PayloadReader reader) {
    this.handler = handler;
    this.bean = bean;
    this.method = handler.invocable();
    this.readAs = handler.readAs();
    this.reader = reader;
    ReflectionUtils.makeAccessible(method);
  }

  @Override
  public void handle(Message message, Handling handling) throws Exception {
    TransactionStatus transaction = handling.connection().unwrap(TransactionStatus.class);
    Class<?>[] parameters = method.getParameterTypes();
    @Nullable Object[] arguments = new Object[parameters.length];
    for (int i = 0; i < parameters.length; i++) {
      arguments[i] = argument(parameters[i], message, handling);
    }
    try {
      method.invoke(bean, arguments);
    } catch (InvocationTargetException e) {
      ReflectionUtils.rethrowException(e.getCause());
    }
    // Checked here and not at the commit of the whole batch, so that the fault is this message's.
    if (transaction.isRollbackOnly()) {
      throw new UnexpectedRollbackException(
          "%s returned, but something in it marked the transaction for rollback"
              .formatted(handler));
    }
    transaction.flush();
  }

  private Object argument(Class<?> parameter, Message message, Handling handling) {
    if (parameter == Message.class) {
      return message;
    }
    if (parameter == Handling.class) {
      return handling;
    }
    if (parameter == Connection.class) {
      return handling.connection();
    }
    return readAs == null || reader == null ? message.payload() : read(reader, readAs, message);
  }

  static Object read(PayloadReader reader, Class<?> event, Message message) {
    Object read;
    try {
      read = reader.read(message, event);
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (Exception | Error e) {
      // The exception's text could quote the payload.
      throw unreadable(message, event, e.getClass().getSimpleName());
    }
    if (read == null) {
      throw unreadable(message, event, "it is null");
    }
    return read;
  }

  private static RejectedException unreadable(Message message, Class<?> event, String why) {
    return new RejectedException(
        Reason.SCHEMA_MISMATCH,
        "the payload of '%s' could not be read as %s: %s"
            .formatted(message.type(), event.getSimpleName(), why));
  }
}
