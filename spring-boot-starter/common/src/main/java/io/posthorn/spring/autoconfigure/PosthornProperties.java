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
 * @param application the owner of the destinations; default: spring.application.name
 * @param environment where this runs, for example production. Required for a relay: a relay of
 *     another environment refuses to work on this database
 * @param dataSource name of the DataSource bean that has the outbox's tables; required if there are
 *     several and none is primary
 * @param schema schema of the tables
 * @param prefix prefix of the tables' names
 * @param migrate whether to create and update the tables at start. If not, run the migrations with
 *     Flyway, Liquibase or the command line
 * @param types message types that may be added, in addition to beans of type MessageType and
 *     classes with @OutboxMessage
 * @param destinations where messages are delivered, by name
 * @param sources where handlers receive their messages from, by name
 * @param consumers settings of the handlers' consumers, by name
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
    @DefaultValue Actuator actuator,
    @DefaultValue Metrics metrics) {

  /**
   * How messages are added.
   *
   * @param maxPayloadSize larger payloads are refused
   */
  public record Outbox(@DefaultValue("1MB") DataSize maxPayloadSize) {}

  /**
   * How this application delivers messages.
   *
   * @param enabled whether to deliver to the destinations; if not, another program does
   * @param name the relay's name in logs and lists; default: 'relay-' and the process id
   * @param lease how long a silent relay keeps its lanes; at least twice the longest send timeout
   *     plus the settle timeout
   * @param settleTimeout how long a settle may take
   * @param batchSize the most unsettled messages of a destination, which is also the most that a
   *     crash can deliver twice
   * @param batchBytes when unsettled messages of a destination have this many bytes of payload, no
   *     more are claimed
   * @param slowAfter an answer later than this no longer delays other keys; less if the destination
   *     usually answers sooner
   * @param fastestPoll pause between reads of the log while there is traffic
   * @param slowestPoll pause between reads of the log when idle
   * @param noRouteGrace how long a message waits for a route before it is dead
   * @param retention how long delivered messages are kept; at most 13 days
   * @param deadRetention how long dead letters are kept; at least 7 days
   * @param storeThreads the most connections of the pool used at once, in addition to one for the
   *     heartbeat and occasionally one for retention
   * @param diskBudget a destination is spilled if it keeps more of the log than this from being
   *     removed; default: never
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
   * @param oldestMessage degraded if a destination's oldest waiting message in the log is older
   *     than this
   */
  public record Health(@DefaultValue("5m") Duration oldestMessage) {}

  /**
   * What Actuator's endpoints show.
   *
   * @param showPayloads whether the endpoints show payloads and headers of messages, and stack
   *     traces of dead letters
   */
  public record Actuator(@DefaultValue("false") boolean showPayloads) {}

  /**
   * Micrometer metrics, if posthorn-observe is on the class path.
   *
   * @param enabled whether there are metrics
   * @param every how often the figures of the database are read
   * @param mostTypes how many types have series of their own; all others are "other"
   */
  public record Metrics(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("15s") Duration every,
      @DefaultValue("100") int mostTypes) {

    /** At least one millisecond, because an invalid value is reported with all other problems. */
    Duration pause() {
      return every.toMillis() < 1 ? Duration.ofMillis(1) : every;
    }
  }
}
