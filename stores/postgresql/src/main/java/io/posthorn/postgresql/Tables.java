package io.posthorn.postgresql;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.postgresql.sql.TableNames;
import java.util.regex.Pattern;

/**
 * The schema and prefix of the tables. Statements use the default prefix {@code posthorn_}; each
 * such name is replaced by the schema and prefix of the installation.
 *
 * @param schema default {@code public}
 * @param prefix default {@code posthorn_}
 */
public record Tables(String schema, String prefix) {
  private static final Pattern IDENTIFIER = Pattern.compile("[a-z_][a-z0-9_]{0,30}");

  // Must follow the pattern that its names are checked with.
  public static final Tables DEFAULT = new Tables("public", "posthorn_");

  public Tables {
    check("schema", schema);
    check("prefix", prefix);
  }

  TableNames names() {
    return new TableNames(schema, prefix);
  }

  private static void check(String what, String value) {
    if (!IDENTIFIER.matcher(value).matches()) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "%s '%s' was not accepted: it must be a plain lower-case SQL name of up to 31 letters, digits and '_'. Choose another one."
              .formatted(what, value));
    }
  }
}
