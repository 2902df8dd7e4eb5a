package io.posthorn.server.file;

import io.posthorn.core.relay.RelayConfig;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.unit.DataSize;

/**
 * The whole file.
 *
 * @param environment where this runs, for example production. It is stored in each database, and a
 *     server of another environment refuses to deliver from there, so that a copy of production
 *     sends nothing
 * @param logging how the log is written to standard output
 * @param management where liveness, readiness and metrics are served
 * @param http the HTTP API, for people and programs; default: it is not served
 * @param relay how messages are delivered, in all databases
 * @param retention how long finished things are kept, in all databases
 * @param tlsBundles certificates that destinations use for TLS, by a name of your choice
 * @param databases the databases whose messages are delivered, by a name of your choice
 */
public record ServerFile(
    @Required String environment,
    @DefaultValue("text") Logging logging,
    @DefaultValue Management management,
    @Nullable HttpSettings http,
    @DefaultValue Relay relay,
    @DefaultValue Retention retention,
    @DefaultValue Map<String, TlsBundle> tlsBundles,
    @Required @DefaultValue Map<String, DatabaseSettings> databases) {

  /** The settings of every relay. */
  public RelayConfig relayConfig() {
    return relay.config(retention);
  }

  /** The certificates, as Spring's bundles. */
  public SslBundles sslBundles() {
    return TlsBundles.of(tlsBundles);
  }

  /** How the log is written. */
  public enum Logging {
    /** Lines for people. */
    TEXT,
    /** One JSON object per line, in the format of Logstash. */
    JSON
  }

  /**
   * Where liveness, readiness and metrics are served. There is no login, so keep it private.
   *
   * @param address the address to listen on; 0.0.0.0 means all
   * @param port the port to listen on; 0 means any free one, which the log names
   */
  public record Management(
      @DefaultValue("127.0.0.1") String address, @DefaultValue("8081") int port) {}

  /**
   * How messages are delivered.
   *
   * @param name the name in logs and in posthorn status; default: the host's name
   * @param lease how long a relay that no longer responds keeps its lanes; at least twice the
   *     longest send-timeout plus the settle-timeout
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
   * @param storeThreads the most connections to a database used at once, in addition to one for the
   *     heartbeat and occasionally one for retention
   */
  public record Relay(
      @Nullable String name,
      @DefaultValue("30s") Duration lease,
      @DefaultValue("5s") Duration settleTimeout,
      @DefaultValue("2000") int batchSize,
      @DefaultValue("8MB") DataSize batchBytes,
      @DefaultValue("1s") Duration slowAfter,
      @DefaultValue("2ms") Duration fastestPoll,
      @DefaultValue("1s") Duration slowestPoll,
      @DefaultValue("10m") Duration noRouteGrace,
      @DefaultValue("4") int storeThreads) {

    RelayConfig config(Retention retention) {
      RelayConfig.Builder config =
          RelayConfig.builder()
              .lease(lease)
              .settleTimeout(settleTimeout)
              .batchSize(batchSize)
              .batchBytes(batchBytes.toBytes())
              .slowAfter(slowAfter)
              .poll(fastestPoll, slowestPoll)
              .noRouteGrace(noRouteGrace)
              .storeThreads(storeThreads)
              .retention(retention.sent)
              .deadRetention(retention.dead);
      return retention.diskBudget == null
          ? config.build()
          : config.diskBudget(retention.diskBudget.toBytes()).build();
    }
  }

  /**
   * How long finished things are kept.
   *
   * @param sent how long delivered messages are kept; at most 13 days
   * @param dead how long dead letters are kept; at least 7 days
   * @param diskBudget a destination is spilled if it keeps more of the log than this from being
   *     removed; default: never
   */
  public record Retention(
      @DefaultValue("7d") Duration sent,
      @DefaultValue("30d") Duration dead,
      @Nullable DataSize diskBudget) {}

  /**
   * Certificates in PEM files.
   *
   * @param trust file with the certificates to trust; default: those of the JVM
   * @param certificate file with the certificate to present, and its chain; default: none
   * @param privateKey file with the private key of the certificate
   * @param privateKeyPassword password of the private key
   */
  public record TlsBundle(
      @Nullable String trust,
      @Nullable String certificate,
      @Nullable String privateKey,
      @Nullable String privateKeyPassword) {
    @Override
    public String toString() {
      return "TlsBundle[trust=%s, certificate=%s, privateKey=%s]"
          .formatted(trust, certificate, privateKey);
    }
  }
}
