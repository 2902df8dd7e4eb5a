package io.posthorn.webhook;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.MessageConstraintException;

/**
 * Maps failures without a status to outcomes.
 *
 * <p>A receiver that is unreachable or closes the connection is at fault itself. If it closes the
 * connection again on one message, while it accepts others, the relay blames the message.
 */
final class NetworkFailures {
  static final String FORBIDDEN_ADDRESS = "FORBIDDEN_ADDRESS";
  static final String TLS_FAILED = "TLS_FAILED";
  static final String PROTOCOL = "HTTP_PROTOCOL";

  /** The client itself failed, or lacked memory; it is replaced. */
  static final String CLIENT_FAILED = "CLIENT_FAILED";

  /** Classifies failures to build a request; those not listed may be the message's fault. */
  static final Classifier BUILDING =
      Classifier.DEFAULT
          .when(CredentialsException.class, unavailable(Reason.ACCESS_DENIED))
          .when(VirtualMachineError.class, unavailable(CLIENT_FAILED));

  /** Classifies failures to send a request; these are never the message's fault by themselves. */
  static final Classifier SENDING =
      Classifier.DEFAULT
          .when(GuardedResolver.ForbiddenAddressException.class, unavailable(FORBIDDEN_ADDRESS))
          .when(UnknownHostException.class, unavailable(Reason.UNREACHABLE))
          .when(ConnectException.class, unavailable(Reason.UNREACHABLE))
          .when(NoRouteToHostException.class, unavailable(Reason.UNREACHABLE))
          .when(ConnectTimeoutException.class, unavailable(Reason.UNREACHABLE))
          .when(SSLException.class, unavailable(TLS_FAILED))
          .when(ConnectionRequestTimeoutException.class, unavailable(Reason.TIMEOUT))
          .when(SocketTimeoutException.class, failed(Reason.TIMEOUT))
          // With this exception the client reports that it gave up by itself.
          .when(InterruptedIOException.class, unavailable(CLIENT_FAILED))
          .when(BoundedSession.ResponseTooLargeException.class, unavailable(PROTOCOL))
          .when(MessageConstraintException.class, unavailable(PROTOCOL))
          .when(MalformedChunkCodingException.class, unavailable(PROTOCOL))
          .when(IOException.class, unavailable(Reason.TRANSIENT_NETWORK))
          .when(HttpException.class, unavailable(PROTOCOL))
          .when(Throwable.class, unavailable(CLIENT_FAILED));

  private NetworkFailures() {}

  private static <T extends Throwable> Function<T, Outcome> unavailable(String code) {
    return thrown -> Outcome.unavailable(reason(code, thrown));
  }

  private static <T extends Throwable> Function<T, Outcome> failed(String code) {
    return thrown -> Outcome.failed(reason(code, thrown));
  }

  /** Leaves the stack trace out: it shows only the client's own threads. */
  private static Reason reason(String code, Throwable thrown) {
    String text = thrown.getMessage();
    String name = thrown.getClass().getSimpleName();
    return Reason.of(code, text == null ? name : name + ": " + text);
  }
}
