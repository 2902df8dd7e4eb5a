package io.posthorn.postgresql.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A whole statement with {@code :named} parameters. Its name is a comment in front of it, so that
 * {@code pg_stat_activity} and the server's log show what Posthorn is doing.
 */
public final class Sql {
  private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-z][A-Za-z0-9]*)");

  private final String text;
  private final List<String> parameters = new ArrayList<>();

  private Sql(String name, String named) {
    Matcher matcher = PARAMETER.matcher(named);
    StringBuilder positional = new StringBuilder("/* posthorn: ").append(name).append(" */ ");
    while (matcher.find()) {
      // Interned like the literals that name parameters, so that most comparisons end at the
      // identity.
      parameters.add(matcher.group(1).intern());
      matcher.appendReplacement(positional, "?");
    }
    matcher.appendTail(positional);
    this.text = positional.toString();
  }

  public static Sql of(String name, String text) {
    return new Sql(name, text);
  }

  /** Returns the text with the default names of the tables; see {@link TableNames}. */
  public String text() {
    return text;
  }

  public List<String> parameters() {
    return parameters;
  }

  /** By the text, so that what is remembered of statements is bounded by their number. */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other || (other instanceof Sql sql && text.equals(sql.text));
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
