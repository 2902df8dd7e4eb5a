package io.posthorn.spring.connector;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One address from which handlers receive messages. It has exactly one of kafka and rabbitmq.
 * CloudEvents are always read; the other settings define how to read anything else.
 *
 * @param type the type of messages that are not CloudEvents
 * @param typeHeader the header with the type of messages that are not CloudEvents
 * @param idHeader the header with the id of messages that are not CloudEvents; default: the
 *     broker's id
 */
public record SourceProperties(
    @Nullable String type,
    @Nullable String typeHeader,
    @Nullable String idHeader,
    @Nullable Kafka kafka,
    @Nullable Rabbitmq rabbitmq) {

  /** Where a consumer group begins that has never read. */
  public enum StartAt {
    /** With the oldest message in the topic. */
    EARLIEST,
    /** With the next message that is sent. */
    NOW
  }

  /**
   * Topics.
   *
   * @param topics one or more
   * @param servers some of the cluster's brokers; default: those of spring.kafka, with their
   *     security and SSL
   * @param group the consumer group; default: the consumer's name
   * @param startAt where a group that has never read begins
   * @param timeout for one request to the brokers
   * @param client more settings of the Kafka client
   */
  public record Kafka(
      @DefaultValue List<String> topics,
      @Nullable List<String> servers,
      @Nullable String group,
      @DefaultValue("earliest") StartAt startAt,
      @DefaultValue("8s") Duration timeout,
      @DefaultValue Map<String, String> client) {}

  /**
   * A queue.
   *
   * @param queue must exist
   * @param addresses host or host:port of one or more brokers of a cluster; default: those of
   *     spring.rabbitmq
   * @param virtualHost the queue's virtual host; default: that of spring.rabbitmq, or /
   * @param username default: that of spring.rabbitmq
   * @param password default: that of spring.rabbitmq
   * @param sslBundle TLS with this bundle; default: that of spring.rabbitmq, unless addresses are
   *     set here
   * @param connectTimeout for opening a connection, and for one request to the broker
   * @param prefetch the most messages that a feed holds
   * @param management URL of the management plugin, for checks only
   */
  public record Rabbitmq(
      @Nullable String queue,
      @Nullable List<String> addresses,
      @Nullable String virtualHost,
      @Nullable String username,
      @Nullable String password,
      @Nullable String sslBundle,
      @DefaultValue("3s") Duration connectTimeout,
      @DefaultValue("250") int prefetch,
      @Nullable String management) {

    RabbitMqAccess.Own access() {
      return new RabbitMqAccess.Own(addresses, virtualHost, username, password, sslBundle);
    }
  }
}
