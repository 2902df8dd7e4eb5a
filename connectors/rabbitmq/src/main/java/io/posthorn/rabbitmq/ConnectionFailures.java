package io.posthorn.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.Causes;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * What the end of a connection or channel means for the messages that were not confirmed. Nobody
 * knows what became of them, and no single one can be blamed: the destination is at fault. The one
 * exception is a message larger than the broker says it takes.
 */
final class ConnectionFailures {
  static final String NO_QUEUE = "NO_QUEUE";
  static final String BLOCKED = "BLOCKED";
  static final String NACKED = "NACKED";
  static final String TLS_FAILED = "TLS_FAILED";

  static final Outcome CLOSED =
      Outcome.unavailable(Reason.of(Reason.UNREACHABLE, "the connector is closed"));
  static final Outcome NOT_IN_TIME =
      Outcome.unavailable(
          Reason.of(Reason.TIMEOUT, "it could not be handed to the broker in time"));

  private static final Pattern TOO_LARGE =
      Pattern.compile("message size \\d+ (?:is|bytes).*max(?:imum)? size (?:of )?(\\d+).*");

  private ConnectionFailures() {}

  static Reason reason(Throwable thrown) {
    return Reason.of(reasonCode(thrown), text(thrown));
  }

  static Reason blocked(String why) {
    return Reason.of(BLOCKED, "the broker takes no messages for now, it says: " + why);
  }

  /** The most bytes the broker takes, if that is why it closed the channel. */
  static OptionalLong sizeLimit(ShutdownSignalException cause) {
    if (code(cause) == AMQP.PRECONDITION_FAILED) {
      Matcher matcher = TOO_LARGE.matcher(text(cause));
      if (matcher.find()) {
        return OptionalLong.of(Long.parseLong(matcher.group(1)));
      }
    }
    return OptionalLong.empty();
  }

  /** The reply code of the broker anywhere in the chain of causes, or 0. */
  static int code(Throwable thrown) {
    ShutdownSignalException signal = find(thrown, ShutdownSignalException.class);
    Method reason = signal == null ? null : signal.getReason();
    if (reason instanceof AMQP.Channel.Close close) {
      return close.getReplyCode();
    }
    return reason instanceof AMQP.Connection.Close close ? close.getReplyCode() : 0;
  }

  private static String reasonCode(Throwable thrown) {
    if (find(thrown, AuthenticationFailureException.class) != null
        || find(thrown, PossibleAuthenticationFailureException.class) != null) {
      return Reason.ACCESS_DENIED;
    }
    if (find(thrown, SSLException.class) != null) {
      return TLS_FAILED;
    }
    return switch (code(thrown)) {
      case AMQP.NOT_FOUND -> Reason.NO_ADDRESS;
      case AMQP.ACCESS_REFUSED, AMQP.NOT_ALLOWED -> Reason.ACCESS_DENIED;
      case AMQP.PRECONDITION_FAILED -> Reason.REJECTED;
      default -> Reason.UNREACHABLE;
    };
  }

  /** What the broker said, else what the client did. */
  private static String text(Throwable thrown) {
    ShutdownSignalException signal = find(thrown, ShutdownSignalException.class);
    Method reason = signal == null ? null : signal.getReason();
    if (reason instanceof AMQP.Channel.Close close) {
      return "the broker closed the channel: " + close.getReplyText();
    }
    if (reason instanceof AMQP.Connection.Close close) {
      return "the connection was closed: " + close.getReplyText();
    }
    Throwable told = thrown.getCause() == null || signal == null ? thrown : thrown.getCause();
    String text = told.getMessage();
    String name = told.getClass().getSimpleName();
    return "there is no connection: " + (text == null ? name : name + ": " + text);
  }

  private static <T extends Throwable> @Nullable T find(Throwable thrown, Class<T> type) {
    for (Throwable cause : Causes.of(thrown)) {
      if (type.isInstance(cause)) {
        return type.cast(cause);
      }
    }
    return null;
  }
}
