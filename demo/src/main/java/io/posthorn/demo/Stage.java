package io.posthorn.demo;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;

/** Everything that the demo runs: the database, the shop, its writers and the relays. */
final class Stage implements AutoCloseable {
  /** The first logger that is created reads this property. */
  static final String LOG_FILE = "org.slf4j.simpleLogger.logFile";

  private static final Duration CONNECT_WITHIN = Duration.ofSeconds(3);

  private final Resources resources = new Resources();
  private final EmbeddedPostgres postgres;
  private final Shop shop;
  private final Writers writers;
  private final Lanes lanes;
  private final SightingsFile.Reader sightings;
  private final Relays relays;

  /**
   * Starts everything but the writers, and returns when the relays serve. The caller starts the
   * writers.
   *
   * @param progress receives a text for each step that takes time
   */
  Stage(DemoOptions options, Consumer<String> progress) throws IOException, SQLException {
    try {
      Path directory = resources.add(new DemoDirectory()).path();
      if (options.live()) {
        System.setProperty(LOG_FILE, directory.resolve("demo.log").toString());
      }
      progress.accept("starting PostgreSQL " + EmbeddedPostgres.defaultVersion() + " …");
      postgres = resources.add(EmbeddedPostgres.builder().start());
      HikariDataSource pool = resources.add(pool(postgres.jdbcUrl()));
      new Migrations(Tables.DEFAULT).migrate(pool);
      shop = new Shop(pool);
      shop.open(options.keys());
      lanes = new Lanes(pool);
      progress.accept("starting two relays …");
      Path seen = directory.resolve("sightings");
      sightings = resources.add(new SightingsFile.Reader(seen.toFile()));
      relays =
          resources.add(new Relays(new RelayProcess.Place(postgres.jdbcUrl(), seen, directory)));
      relays.start();
      writers = resources.add(new Writers(shop, options.rate(), options.keys()));
    } catch (IOException | SQLException | RuntimeException e) {
      resources.close();
      throw e;
    }
  }

  private static HikariDataSource pool(String url) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(url);
    pool.setMaximumPoolSize(Writers.COUNT + 2);
    pool.setConnectionTimeout(CONNECT_WITHIN.toMillis());
    return pool;
  }

  EmbeddedPostgres postgres() {
    return postgres;
  }

  Shop shop() {
    return shop;
  }

  Writers writers() {
    return writers;
  }

  Lanes lanes() {
    return lanes;
  }

  SightingsFile.Reader sightings() {
    return sightings;
  }

  Relays relays() {
    return relays;
  }

  @Override
  public void close() {
    resources.close();
  }
}
