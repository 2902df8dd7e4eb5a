package io.posthorn.webhook;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import java.time.Duration;
import java.util.Set;

/**
 * Maps response statuses to outcomes. A wrong address is the destination's fault if the address is
 * fixed, and the message's fault if the address is taken from the message.
 */
record Statuses(boolean fixedAddress) {
  private static final String GONE = "GONE";

  /**
   * The receiver may be too busy for any message: request timeout, too early, too many requests.
   */
  private static final Set<Integer> BUSY = Set.of(408, 425, 429);

  Outcome outcome(int status, String body, Duration retryAfter) {
    if (status >= 200 && status < 300) {
      return Outcome.SENT;
    }
    Reason reason = Reason.of(code(status), text(status, body));
    return switch (status) {
      case 400, 413, 415, 422 -> Outcome.rejected(reason);
      case 401, 403, 407 -> Outcome.unavailable(reason);
      case 404, 405 -> fixedAddress ? Outcome.unavailable(reason) : Outcome.rejected(reason);
      case 410 -> fixedAddress ? Outcome.gone(reason) : Outcome.rejected(reason);
      default ->
          status < 400 && fixedAddress
              ? Outcome.unavailable(reason)
              : failed(status, reason, retryAfter);
    };
  }

  private static Outcome failed(int status, Reason reason, Duration retryAfter) {
    boolean byReceiver = status < 400 || status >= 500 || BUSY.contains(status);
    return byReceiver
        ? Outcome.failed(reason, retryAfter)
        : new Outcome.Failed(reason, retryAfter, true);
  }

  private static String code(int status) {
    return status == 410 ? GONE : "HTTP_" + status;
  }

  private static String text(int status, String body) {
    String answered = "the receiver answered " + status;
    if (status < 400) {
      return answered
          + ", but redirects are never followed. Configure the address to which it redirects.";
    }
    return body.isBlank() ? answered : answered + ": " + body;
  }
}
