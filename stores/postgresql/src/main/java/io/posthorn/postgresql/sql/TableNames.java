package io.posthorn.postgresql.sql;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The names of the tables in an installation. Statements use the default prefix {@code posthorn_};
 * each such name is replaced by the schema and prefix of the installation.
 */
public record TableNames(String schema, String prefix) {
  private static final Pattern NAME = Pattern.compile("\\bposthorn_(?=[a-z])");
  private static final Map<TableNames, Map<Sql, String>> REWRITTEN = new ConcurrentHashMap<>();

  public static final TableNames DEFAULT = new TableNames("public", "posthorn_");

  public String in(Sql sql) {
    return REWRITTEN
        .computeIfAbsent(this, key -> new ConcurrentHashMap<>())
        .computeIfAbsent(sql, key -> in(key.text()));
  }

  public String in(String text) {
    return NAME.matcher(text).replaceAll(schema + "." + prefix);
  }
}
