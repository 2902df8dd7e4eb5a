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
 * Maps the Kafka client's errors to outcomes.
 *
 * <p>Nearly all are the cluster's fault: it is down, slow, lacks replicas or denies access.
 * Messages then wait. A message is at fault only if it is too large or invalid, or if the topic
 * that it names does not exist.
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
   * Returns whether a new client may succeed where this one failed.
   *
   * <p>That is the case if this client is unusable, or if it was refused, since credentials may
   * have changed. It is also the case if an old client finds no broker, since the brokers may have
   * moved.
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
   * Distinguishes a client error that a retry fixes from one that leaves the client unusable.
   *
   * <p>The client refuses a whole batch for one invalid record. For the other records of the batch
   * it reports a plain {@code KafkaException}; these succeed at the next attempt. All other errors
   * leave an unusable client: fenced, out of sequence, closed, or never opened.
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

  /** Leaves the stack trace out: it shows only the client's own threads. */
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
