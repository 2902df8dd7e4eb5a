package io.posthorn.spring.connector;

import io.posthorn.spring.StartAt;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One address that handlers get their messages from. It has exactly one of kafka and rabbitmq.
 * CloudEvents are read in any case; the rest tells what to do with what is none.
 *
 * @param type what is no CloudEvent is a message of this type
 * @param typeHeader what is no CloudEvent has its type in this header
 * @param idHeader what is no CloudEvent has its id in this header; else the broker's is taken
 */
public record SourceProperties(
    @Nullable String type,
    @Nullable String typeHeader,
    @Nullable String idHeader,
    @Nullable Kafka kafka,
    @Nullable Rabbitmq rabbitmq) {

  /**
   * Topics.
   *
   * @param topics one or more
   * @param servers some of the cluster's brokers; those of spring.kafka unless given, with their
   *     security and SSL
   * @param group the consumer group; named like the consumer unless given
   * @param startAt where a group begins that has never read
   * @param timeout for one question to the brokers
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
   * @param addresses host or host:port of one or more brokers of a cluster; all of spring.rabbitmq
   *     unless given
   * @param virtualHost of the queue; that of spring.rabbitmq, or /
   * @param username that of spring.rabbitmq unless given
   * @param password that of spring.rabbitmq unless given
   * @param sslBundle TLS with this bundle; that of spring.rabbitmq unless there are addresses here
   * @param connectTimeout for opening a connection, and for one question to the broker
   * @param prefetch the most messages a feed holds
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
