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

/** Everything the demo needs, started: the database, the shop, its writers and the relays. */
final class Stage implements AutoCloseable {
  /** Heeded by the first logger that is made. */
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
   * Returns when the relays serve; the writers are for the caller to start.
   *
   * @param progress hears what is being waited for
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
