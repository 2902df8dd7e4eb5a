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
 * @param types what is routed here; * is everything
 * @param envelope how messages are wrapped
 * @param sender who sends, the attribute source of CloudEvents; the application's name with a slash
 *     unless given
 * @param startAt with which messages of the log it begins when it is registered for the first time
 * @param sendTimeout no answer within it is a failure
 * @param retry when a failed message is tried again
 * @param maxInFlight sent and not yet answered, at most
 * @param perSecond at most so many messages a second; 0 is no limit
 * @param afterDead what happens to the rest of a key when one of its messages dies
 * @param notAfter a message older than this is dead instead of sent; none is too old unless given
 * @param breakerAfter so many different keys failing in a row open the breaker
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
    /** Payload and headers as they are. */
    PLAIN
  }

  /**
   * When a failed message is tried again.
   *
   * @param backoff pause after the first attempt, doubled each time
   * @param longestBackoff the longest pause
   * @param attempts then it is dead
   * @param timeLimit since the first failure, then it is dead too
   */
  public record Retry(
      @DefaultValue("1s") Duration backoff,
      @DefaultValue("60s") Duration longestBackoff,
      @DefaultValue("10") int attempts,
      @DefaultValue("24h") Duration timeLimit) {

    public RetryPolicy policy() {
      return new RetryPolicy(
          backoff, longestBackoff, RetryPolicy.DEFAULT.jitter(), attempts, timeLimit);
    }
  }

  /**
   * A topic.
   *
   * @param topic its name, or a template such as orders-{type}
   * @param servers some of the cluster's brokers; those of spring.kafka unless given, with their
   *     security and SSL
   * @param timeout for the whole of a send; shorter than the send timeout
   * @param client more settings of the Kafka client
   */
  public record Kafka(
      @Nullable String topic,
      @Nullable List<String> servers,
      @DefaultValue("8s") Duration timeout,
      @DefaultValue Map<String, String> client) {}

  /**
   * An exchange.
   *
   * @param exchange its name or a template; the default exchange unless given
   * @param routingKey a name or a template; on the default exchange the name of a queue
   * @param addresses host or host:port of one or more brokers of a cluster; all of spring.rabbitmq
   *     unless given
   * @param virtualHost of the exchange; that of spring.rabbitmq, or /
   * @param username that of spring.rabbitmq unless given
   * @param password that of spring.rabbitmq unless given
   * @param sslBundle TLS with this bundle; that of spring.rabbitmq unless there are addresses here
   * @param timeout for the confirm of a message; longer than connectTimeout, shorter than the send
   *     timeout
   * @param connectTimeout for opening a connection
   * @param maxMessageSize larger ones are rejected before they are sent
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
   * An HTTP endpoint, by Standard Webhooks.
   *
   * @param url https; path and query may be a template
   * @param secrets whsec_…, all of which sign, the newest first
   * @param unsigned says on purpose that the receiver cannot tell who sends
   * @param bearerToken sent as authorization
   * @param username of basic authentication
   * @param password of basic authentication
   * @param sslBundle whom to trust, and the certificate to show; as the JVM has it unless given
   * @param timeout for the whole exchange; shorter than the send timeout
   * @param connectTimeout for connecting
   * @param maxConnections also the most requests on their way
   * @param plainHttp whether http is allowed, too
   * @param allowNetworks networks that may be reached beside public ones, such as 10.1.0.0/16
   * @param longestRetryAfter the most that a receiver's Retry-After counts
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
