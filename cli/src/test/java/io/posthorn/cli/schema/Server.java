package io.posthorn.cli.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.cli.Ran;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A fresh database, and a listing of its schema. */
record Server(String name) {
  // Lists everything that a migration can create. The rows of the tables do not matter.
  private static final String CATALOGUE =
      """
      SELECT concat_ws(' ', 'column', attrelid::regclass, attnum, attname, format_type(atttypid, atttypmod),
                       attnotnull, pg_get_expr(adbin, adrelid), reloptions)
        FROM pg_attribute a
        JOIN pg_class c ON c.oid = attrelid
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
       WHERE relnamespace::regnamespace::text IN ('public', 'shop')
         AND attnum > 0
      UNION ALL
      SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
        FROM pg_constraint
       WHERE connamespace::regnamespace::text IN ('public', 'shop')
      UNION ALL
      SELECT concat_ws(' ', 'index', indexdef)
        FROM pg_indexes
       WHERE schemaname IN ('public', 'shop')
      UNION ALL
      SELECT concat_ws(' ', 'function', pg_get_functiondef(oid))
        FROM pg_proc
       WHERE pronamespace::regnamespace::text IN ('public', 'shop')
      UNION ALL
      SELECT concat_ws(' ', 'sequence', schemaname, sequencename, cache_size, data_type)
        FROM pg_sequences
      ORDER BY 1
      """;

  static Server fresh() {
    return new Server(EmbeddedPostgres.shared().freshDatabase());
  }

  String migrate(String... options) {
    List<String> args =
        new ArrayList<>(
            List.of("schema", "migrate", "--url", EmbeddedPostgres.shared().jdbcUrl(name)));
    args.addAll(List.of(options));
    Ran ran = Ran.posthorn(args.toArray(String[]::new));
    assertThat(ran.err()).isEmpty();
    assertThat(ran.code()).isZero();
    return ran.out();
  }

  void run(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  String value(String sql) throws SQLException {
    return rows(sql).get(0);
  }

  List<String> catalogue() throws SQLException {
    return rows(CATALOGUE);
  }

  private List<String> rows(String sql) throws SQLException {
    List<String> found = new ArrayList<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        found.add(rows.getString(1));
      }
    }
    return found;
  }

  private Connection connect() throws SQLException {
    return EmbeddedPostgres.shared().dataSource(name).getConnection();
  }
}
