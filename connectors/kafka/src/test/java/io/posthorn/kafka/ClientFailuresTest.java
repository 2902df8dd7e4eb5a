package io.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.RejectedException;
import java.util.stream.Stream;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ClientFailuresTest {
  private static final ClientFailures FIXED = new ClientFailures(true);
  private static final ClientFailures TEMPLATE = new ClientFailures(false);

  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(new RecordTooLargeException("x"), "Rejected TOO_LARGE"),
        Arguments.of(new InvalidRecordException("x"), "Rejected INVALID_RECORD"),
        Arguments.of(new RejectedException("MINE", "x"), "Rejected MINE"),
        Arguments.of(new UnknownTopicOrPartitionException("x"), "Unavailable NO_ADDRESS"),
        Arguments.of(
            new TimeoutException("x", new UnknownTopicOrPartitionException("y")),
            "Unavailable NO_ADDRESS"),
        Arguments.of(new InvalidTopicException("x"), "Unavailable INVALID_ADDRESS"),
        Arguments.of(new TopicAuthorizationException("x"), "Unavailable ACCESS_DENIED"),
        Arguments.of(new ClusterAuthorizationException("x"), "Unavailable ACCESS_DENIED"),
        Arguments.of(new SaslAuthenticationException("x"), "Unavailable ACCESS_DENIED"),
        Arguments.of(new SslAuthenticationException("x"), "Unavailable TLS_FAILED"),
        Arguments.of(new NotEnoughReplicasException("x"), "Unavailable NOT_ENOUGH_REPLICAS"),
        Arguments.of(
            new NotEnoughReplicasAfterAppendException("x"), "Unavailable NOT_ENOUGH_REPLICAS"),
        Arguments.of(new TimeoutException("x"), "Unavailable TIMEOUT"),
        Arguments.of(new NetworkException("x"), "Unavailable TRANSIENT_NETWORK"),
        Arguments.of(new NotLeaderOrFollowerException("x"), "Unavailable TRANSIENT_NETWORK"),
        Arguments.of(new CorruptRecordException("x"), "Unavailable TRANSIENT_NETWORK"),
        Arguments.of(new ProducerFencedException("x"), "Unavailable CLIENT_FAILED"),
        Arguments.of(new InvalidProducerEpochException("x"), "Unavailable CLIENT_FAILED"),
        Arguments.of(new OutOfOrderSequenceException("x"), "Unavailable CLIENT_FAILED"),
        Arguments.of(new KafkaException("x"), "Unavailable CLIENT_FAILED"),
        Arguments.of(
            new KafkaException("Failed to append record because it was part of a batch which …"),
            "Failed BATCH_REFUSED"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void an_error_says_who_is_at_fault(Throwable thrown, String expected) {
    assertThat(Sent.text(FIXED.outcome(thrown))).isEqualTo(expected);
  }

  @Test
  void a_topic_that_the_message_named_is_the_message_s_fault() {
    assertThat(Sent.text(TEMPLATE.outcome(new UnknownTopicOrPartitionException("x"))))
        .isEqualTo("Rejected NO_ADDRESS");
    assertThat(Sent.text(TEMPLATE.outcome(new InvalidTopicException("x"))))
        .isEqualTo("Rejected INVALID_ADDRESS");
    assertThat(Sent.text(TEMPLATE.outcome(new TopicAuthorizationException("x"))))
        .isEqualTo("Unavailable ACCESS_DENIED");
  }

  @Test
  void a_client_that_was_refused_or_is_spoilt_is_replaced_and_a_slow_one_only_in_time() {
    assertThat(replaced(new ProducerFencedException("x"), false)).isTrue();
    assertThat(replaced(new SaslAuthenticationException("x"), false)).isTrue();
    assertThat(replaced(new TimeoutException("x"), false)).isFalse();
    assertThat(replaced(new TimeoutException("x"), true)).isTrue();
    assertThat(replaced(new RecordTooLargeException("x"), true)).isFalse();
  }

  private static boolean replaced(Throwable thrown, boolean old) {
    Outcome outcome = FIXED.outcome(thrown);
    return ClientFailures.needsNewClient(outcome, old);
  }
}
