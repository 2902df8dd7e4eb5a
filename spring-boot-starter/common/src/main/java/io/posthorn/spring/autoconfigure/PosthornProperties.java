package io.posthorn.spring.autoconfigure;

import io.posthorn.core.relay.RelayConfig;
import io.posthorn.spring.connector.DestinationProperties;
import io.posthorn.spring.connector.SourceProperties;
import io.posthorn.spring.handler.ConsumerProperties;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings of Posthorn.
 *
 * @param enabled whether there is an outbox at all
 * @param application whose destinations these are; spring.application.name unless given
 * @param environment where this runs, for example production. Required for a relay: one of another
 *     environment refuses to work on this database
 * @param dataSource name of the DataSource bean that has the outbox's tables; needed if there are
 *     several and none is primary
 * @param schema schema of the tables
 * @param prefix what the names of the tables begin with
 * @param migrate whether to create and update the tables at start. If not, Flyway, Liquibase or the
 *     command line does
 * @param types message types that may be added, beside the beans of type MessageType and the
 *     classes with @OutboxMessage
 * @param destinations what is delivered where, by name
 * @param sources where handlers get their messages from, by name
 * @param consumers how the consumers of handlers work, by name
 */
@ConfigurationProperties("posthorn")
public record PosthornProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String application,
    @Nullable String environment,
    @Nullable String dataSource,
    @DefaultValue("public") String schema,
    @DefaultValue("posthorn_") String prefix,
    @DefaultValue("false") boolean migrate,
    @DefaultValue List<String> types,
    @DefaultValue Map<String, DestinationProperties> destinations,
    @DefaultValue Map<String, SourceProperties> sources,
    @DefaultValue Map<String, ConsumerProperties> consumers,
    @DefaultValue Outbox outbox,
    @DefaultValue Relay relay,
    @DefaultValue Health health,
    @DefaultValue Metrics metrics) {

  /**
   * How messages are added.
   *
   * @param maxPayloadSize larger payloads are refused
   */
  public record Outbox(@DefaultValue("1MB") DataSize maxPayloadSize) {}

  /**
   * How messages are delivered by this application.
   *
   * @param enabled whether to deliver to the destinations; if not, another program does
   * @param name for people, in logs; 'relay-' and the process id unless given
   * @param lease how long a relay that fell silent keeps its lanes; at least twice the longest send
   *     timeout plus the settle timeout
   * @param settleTimeout how long a settle may take
   * @param batchSize most unsettled messages of a destination, which is also the most that a crash
   *     can deliver twice
   * @param batchBytes when so many bytes of payload of a destination are unsettled, no more are
   *     taken in
   * @param slowAfter an answer that is later than this no longer holds up other keys
   * @param fastestPoll pause between looks into the log while there is traffic
   * @param slowestPoll pause between looks into the log when idle
   * @param noRouteGrace how long a message waits for a route before it is dead
   * @param retention how long delivered messages stay; at most 13 days
   * @param deadRetention how long dead letters stay; at least 7 days
   * @param storeThreads most connections of the pool used at once, beside one for the heartbeat and
   *     now and then one for retention
   * @param diskBudget a destination that keeps more of the log from being removed is spilled; none
   *     unless given
   */
  public record Relay(
      @DefaultValue("true") boolean enabled,
      @Nullable String name,
      @DefaultValue("30s") Duration lease,
      @DefaultValue("5s") Duration settleTimeout,
      @DefaultValue("2000") int batchSize,
      @DefaultValue("8MB") DataSize batchBytes,
      @DefaultValue("1s") Duration slowAfter,
      @DefaultValue("2ms") Duration fastestPoll,
      @DefaultValue("1s") Duration slowestPoll,
      @DefaultValue("10m") Duration noRouteGrace,
      @DefaultValue("7d") Duration retention,
      @DefaultValue("30d") Duration deadRetention,
      @DefaultValue("4") int storeThreads,
      @Nullable DataSize diskBudget) {

    public RelayConfig config() {
      RelayConfig.Builder builder =
          RelayConfig.builder()
              .lease(lease)
              .settleTimeout(settleTimeout)
              .batchSize(batchSize)
              .batchBytes(batchBytes.toBytes())
              .slowAfter(slowAfter)
              .poll(fastestPoll, slowestPoll)
              .noRouteGrace(noRouteGrace)
              .retention(retention)
              .deadRetention(deadRetention)
              .storeThreads(storeThreads);
      return diskBudget == null
          ? builder.build()
          : builder.diskBudget(diskBudget.toBytes()).build();
    }
  }

  /**
   * When the health is degraded.
   *
   * @param oldestMessage when the oldest in the log that waits for a destination is older than this
   */
  public record Health(@DefaultValue("5m") Duration oldestMessage) {}

  /**
   * What Micrometer is told, if posthorn-observe is there.
   *
   * @param enabled whether there are metrics
   * @param every how often the database is asked what it holds
   * @param mostTypes so many types have metrics of their own, all others are "other"
   */
  public record Metrics(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("15s") Duration every,
      @DefaultValue("100") int mostTypes) {

    /** At least a moment: a wrong value is told with everything else. */
    Duration pause() {
      return every.toMillis() < 1 ? Duration.ofMillis(1) : every;
    }
  }
}
