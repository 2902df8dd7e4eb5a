package io.posthorn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.EmbeddedPostgres;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;

/** Runs commands on a fresh database with empty tables. */
public abstract class OnDatabase {
  private final String name = EmbeddedPostgres.shared().freshDatabase();
  protected final String url = EmbeddedPostgres.shared().jdbcUrl(name);
  protected final DataSource dataSource = EmbeddedPostgres.shared().dataSource(name);

  @BeforeEach
  final void migrate() {
    new Migrations(Tables.DEFAULT).migrate(dataSource);
  }

  protected final Ran run(String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--url", url));
    return Ran.posthorn(all.toArray(String[]::new));
  }

  /** Returns the output of a command that must succeed. */
  protected final String out(String... args) {
    Ran ran = run(args);
    assertThat(ran.err()).isEmpty();
    assertThat(ran.code()).isZero();
    return ran.out();
  }
}
