package io.posthorn.spring.connector;

import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.relay.SendLimit;
import io.posthorn.core.store.AfterDead;
import io.posthorn.spring.StartAt;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * One destination. It has exactly one of kafka, rabbitmq and webhook.
 *
 * @param types the types that are routed here; * means all
 * @param envelope how messages are wrapped
 * @param sender the sender's name, which is the source in CloudEvents; default: the application's
 *     name with a leading slash
 * @param startAt the first message from the log, when the destination is registered for the first
 *     time: now, earliest, or a time such as 2026-01-01T00:00:00Z
 * @param sendTimeout a send without an answer within this time has failed
 * @param retry when a failed message is sent again
 * @param maxInFlight the most messages sent but not yet answered
 * @param perSecond the most messages per second; 0 means no limit
 * @param afterDead what happens to the rest of a key when one of its messages dies
 * @param notAfter a message older than this becomes a dead letter instead of being sent; default:
 *     no limit
 * @param breakerAfter the breaker opens when this many different keys fail in a row
 * @param unservedGrace how long a message waits for code that serves its type before it is dead;
 *     default: for ever
 * @param byType what is different for single types, by type
 */
public record DestinationProperties(
    @DefaultValue List<String> types,
    @DefaultValue("cloud-events") Envelope envelope,
    @Nullable String sender,
    @DefaultValue("now") StartAt startAt,
    @DefaultValue("10s") Duration sendTimeout,
    @DefaultValue Retry retry,
    @DefaultValue("1000") int maxInFlight,
    @DefaultValue("0") double perSecond,
    @DefaultValue("continue") AfterDead afterDead,
    @Nullable Duration notAfter,
    @DefaultValue("20") int breakerAfter,
    @Nullable Duration unservedGrace,
    @DefaultValue Map<String, ByType> byType,
    @Nullable Kafka kafka,
    @Nullable Rabbitmq rabbitmq,
    @Nullable Webhook webhook) {

  SendLimit limit() {
    return new SendLimit(maxInFlight, perSecond);
  }

  /** How messages are wrapped. */
  public enum Envelope {
    /** CloudEvents 1.0, the payload is the body. */
    CLOUD_EVENTS,
    /** CloudEvents 1.0, everything in one JSON document. */
    STRUCTURED_CLOUD_EVENTS,
    /** Payload and headers unchanged. */
    PLAIN
  }

  /**
   * When a failed message is sent again.
   *
   * @param backoff pause after the first attempt, doubled each time
   * @param longestBackoff the longest pause
   * @param jitter the largest random addition to a pause, as a part of it
   * @param attempts after this many attempts the message is dead
   * @param timeLimit the message is also dead this long after its first failure
   */
  public record Retry(
      @DefaultValue("1s") Duration backoff,
      @DefaultValue("60s") Duration longestBackoff,
      @DefaultValue("0.2") double jitter,
      @DefaultValue("10") int attempts,
      @DefaultValue("24h") Duration timeLimit) {

    public RetryPolicy policy() {
      return new RetryPolicy(backoff, longestBackoff, jitter, attempts, timeLimit);
    }
  }

  /**
   * What is different for one type. Everything that is not set is as for the destination.
   *
   * @param retry when a failed message of this type is sent again
   * @param afterDead what happens to the rest of a key when a message of this type dies
   * @param notAfter a message of this type that is older becomes a dead letter
   * @param maxInFlight the most messages of this type sent but not yet answered
   * @param perSecond the most messages of this type per second
   */
  public record ByType(
      @Nullable RetryChange retry,
      @Nullable AfterDead afterDead,
      @Nullable Duration notAfter,
      @Nullable Integer maxInFlight,
      @Nullable Double perSecond) {}

  /**
   * A topic.
   *
   * @param topic its name, or a template such as orders-{type}
   * @param servers some of the cluster's brokers; default: those of spring.kafka, with their
   *     security and SSL
   * @param timeout for the whole of a send; must be shorter than the send timeout
   * @param client more settings of the Kafka client
   * @param createTopic the shape in which a missing topic is created; default: it is never created
   * @param partition the number of the only partition to use, or the name of a bean that chooses
   *     the partition, a ToIntBiFunction of the message and the number of partitions; default: by
   *     the key
   * @param tombstones the messages that are sent without a value; default: none
   */
  public record Kafka(
      @Nullable String topic,
      @Nullable List<String> servers,
      @DefaultValue("8s") Duration timeout,
      @DefaultValue Map<String, String> client,
      @Nullable CreateTopic createTopic,
      @Nullable String partition,
      @Nullable Tombstones tombstones) {}

  /**
   * The shape of a new topic.
   *
   * @param partitions the number of its partitions; required
   * @param replicas the number of copies of each partition; required
   */
  public record CreateTopic(int partitions, int replicas) {}

  /**
   * Messages without a value, with which a compacted topic deletes their key.
   *
   * @param types all messages of these types
   * @param emptyPayloads all messages with an empty payload
   */
  public record Tombstones(
      @DefaultValue List<String> types, @DefaultValue("false") boolean emptyPayloads) {}

  /**
   * An exchange.
   *
   * @param exchange its name or a template; default: the default exchange
   * @param routingKey a key or a template; on the default exchange, the name of a queue
   * @param addresses host or host:port of one or more brokers of a cluster; default: those of
   *     spring.rabbitmq
   * @param virtualHost the exchange's virtual host; default: that of spring.rabbitmq, or /
   * @param username default: that of spring.rabbitmq
   * @param password default: that of spring.rabbitmq
   * @param sslBundle TLS with this bundle; default: that of spring.rabbitmq, unless addresses are
   *     set here
   * @param timeout for the confirm of a message; must be longer than connect-timeout and shorter
   *     than the send timeout
   * @param connectTimeout for opening a connection
   * @param maxMessageSize a message with a larger body is rejected without being sent
   */
  public record Rabbitmq(
      @Nullable String exchange,
      @Nullable String routingKey,
      @Nullable List<String> addresses,
      @Nullable String virtualHost,
      @Nullable String username,
      @Nullable String password,
      @Nullable String sslBundle,
      @DefaultValue("8s") Duration timeout,
      @DefaultValue("3s") Duration connectTimeout,
      @DefaultValue("16MB") DataSize maxMessageSize) {

    RabbitMqAccess.Own access() {
      return new RabbitMqAccess.Own(addresses, virtualHost, username, password, sslBundle);
    }
  }

  /**
   * An HTTP endpoint that accepts Standard Webhooks.
   *
   * @param url https; path and query may be a template
   * @param secrets secrets of the form whsec_…; each message is signed with all of them. List the
   *     newest first
   * @param unsigned accepts explicitly that the receiver cannot verify the sender
   * @param bearerToken sent in the Authorization header
   * @param username for basic authentication
   * @param password for basic authentication
   * @param sslBundle the certificates to trust and the one to present; default: those of the JVM
   * @param timeout for the whole exchange; must be shorter than the send timeout
   * @param connectTimeout for connecting
   * @param maxConnections the most connections, and so the most requests in flight
   * @param plainHttp whether http is allowed too
   * @param allowNetworks networks that are allowed in addition to public ones, such as 10.1.0.0/16
   * @param longestRetryAfter the longest pause that a receiver's Retry-After can ask for
   */
  public record Webhook(
      @Nullable String url,
      @DefaultValue List<String> secrets,
      @DefaultValue("false") boolean unsigned,
      @Nullable String bearerToken,
      @Nullable String username,
      @Nullable String password,
      @Nullable String sslBundle,
      @DefaultValue("8s") Duration timeout,
      @DefaultValue("3s") Duration connectTimeout,
      @DefaultValue("50") int maxConnections,
      @DefaultValue("false") boolean plainHttp,
      @DefaultValue List<String> allowNetworks,
      @DefaultValue("1h") Duration longestRetryAfter) {}
}
