package io.posthorn.kafka;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.Causes;
import java.util.function.Function;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * What the client's errors mean. Nearly all are the cluster's fault: it is down, slow, lacks
 * replicas or rights, and messages wait. The message is at fault if it is too large or refused for
 * what it is, or if the topic it names does not exist.
 */
final class ClientFailures {
  static final String INVALID_RECORD = "INVALID_RECORD";
  static final String NOT_ENOUGH_REPLICAS = "NOT_ENOUGH_REPLICAS";
  static final String TLS_FAILED = "TLS_FAILED";
  static final String BATCH_REFUSED = "BATCH_REFUSED";
  static final String CLIENT_FAILED = "CLIENT_FAILED";

  private final Classifier classifier;

  ClientFailures(boolean fixedTopic) {
    this.classifier =
        Classifier.DEFAULT
            .when(RecordTooLargeException.class, rejected(Reason.TOO_LARGE))
            .when(RecordBatchTooLargeException.class, rejected(Reason.TOO_LARGE))
            .when(InvalidRecordException.class, rejected(INVALID_RECORD))
            .when(InvalidTimestampException.class, rejected(INVALID_RECORD))
            .when(UnknownTopicOrPartitionException.class, ofAddress(fixedTopic, Reason.NO_ADDRESS))
            .when(UnknownTopicIdException.class, ofAddress(fixedTopic, Reason.NO_ADDRESS))
            .when(InvalidTopicException.class, ofAddress(fixedTopic, Reason.INVALID_ADDRESS))
            .when(AuthorizationException.class, unavailable(Reason.ACCESS_DENIED))
            .when(SslAuthenticationException.class, unavailable(TLS_FAILED))
            .when(AuthenticationException.class, unavailable(Reason.ACCESS_DENIED))
            .when(NotEnoughReplicasException.class, unavailable(NOT_ENOUGH_REPLICAS))
            .when(NotEnoughReplicasAfterAppendException.class, unavailable(NOT_ENOUGH_REPLICAS))
            .when(TimeoutException.class, unavailable(Reason.TIMEOUT))
            .when(java.util.concurrent.TimeoutException.class, unavailable(Reason.UNREACHABLE))
            .when(RetriableException.class, unavailable(Reason.TRANSIENT_NETWORK))
            .when(KafkaException.class, ClientFailures::other);
  }

  Outcome outcome(Throwable thrown) {
    return classifier.classify(thrown);
  }

  /**
   * Whether a new client may fare better: this one is spoilt, or was refused, and credentials may
   * have changed; or it has been there for a while and finds no broker, and they may have moved.
   */
  static boolean needsNewClient(Outcome outcome, boolean old) {
    if (!(outcome instanceof Outcome.Unavailable unavailable)) {
      return false;
    }
    return switch (unavailable.reason().code()) {
      case CLIENT_FAILED, TLS_FAILED, Reason.ACCESS_DENIED -> true;
      case Reason.UNREACHABLE, Reason.TIMEOUT -> old;
      default -> false;
    };
  }

  /**
   * The client refuses a whole batch for one invalid record, and says of the others just that, in a
   * class of no name; those go well next time. All else leaves a client that does not work any
   * more: fenced, out of sequence, closed, not made at all.
   */
  private static Outcome other(KafkaException thrown) {
    boolean neighbour =
        thrown.getClass() == KafkaException.class
            && String.valueOf(thrown.getMessage()).contains("part of a batch");
    return neighbour
        ? Outcome.failed(reason(BATCH_REFUSED, thrown))
        : Outcome.unavailable(reason(CLIENT_FAILED, thrown));
  }

  private static <T extends Throwable> Function<T, Outcome> ofAddress(boolean fixed, String code) {
    return fixed ? unavailable(code) : rejected(code);
  }

  private static <T extends Throwable> Function<T, Outcome> rejected(String code) {
    return thrown -> Outcome.rejected(reason(code, thrown));
  }

  private static <T extends Throwable> Function<T, Outcome> unavailable(String code) {
    return thrown -> Outcome.unavailable(reason(code, thrown));
  }

  /** Without the stack: it would tell of the client's threads only. */
  private static Reason reason(String code, Throwable thrown) {
    StringBuilder text = new StringBuilder();
    for (Throwable cause : Causes.of(thrown)) {
      text.append(text.isEmpty() ? "" : ", because of ").append(cause.getClass().getSimpleName());
      if (cause.getMessage() != null) {
        text.append(": ").append(cause.getMessage());
      }
    }
    return Reason.of(code, text.toString());
  }
}
