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
 * Maps the end of a connection or channel to outcomes of the messages not yet confirmed.
 *
 * <p>What became of them is unknown, and no single message is at fault, so the destination is. The
 * one exception is a message larger than the broker's stated limit.
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
          Reason.of(Reason.TIMEOUT, "the message could not be handed to the broker in time"));

  private static final Pattern TOO_LARGE =
      Pattern.compile("message size \\d+ (?:is|bytes).*max(?:imum)? size (?:of )?(\\d+).*");

  private ConnectionFailures() {}

  static Reason reason(Throwable thrown) {
    return Reason.of(reasonCode(thrown), text(thrown));
  }

  static Reason blocked(String why) {
    return Reason.of(
        BLOCKED, "the broker does not accept messages at the moment, and reports:  " + why);
  }

  /** Returns the broker's size limit in bytes, if it closed the channel for exceeding it. */
  static OptionalLong sizeLimit(ShutdownSignalException cause) {
    if (code(cause) == AMQP.PRECONDITION_FAILED) {
      Matcher matcher = TOO_LARGE.matcher(text(cause));
      if (matcher.find()) {
        return OptionalLong.of(Long.parseLong(matcher.group(1)));
      }
    }
    return OptionalLong.empty();
  }

  /** Returns the broker's reply code from anywhere in the chain of causes, or 0. */
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

  /** Returns the broker's text, or else the client's. */
  private static String text(Throwable thrown) {
    ShutdownSignalException signal = find(thrown, ShutdownSignalException.class);
    Method reason = signal == null ? null : signal.getReason();
    if (reason instanceof AMQP.Channel.Close close) {
      return "the broker closed the channel: " + close.getReplyText();
    }
    if (reason instanceof AMQP.Connection.Close close) {
      return "the connection was closed: " + close.getReplyText();
    }
    Throwable shown = thrown.getCause() == null || signal == null ? thrown : thrown.getCause();
    String text = shown.getMessage();
    String name = shown.getClass().getSimpleName();
    return "the connection failed: " + (text == null ? name : name + ": " + text);
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
