package io.posthorn.server.file;

import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** Checks the address of a database. What it says never contains the address. */
final class DatabaseUrl {
  private static final Pattern LOGIN = Pattern.compile("(?s)[^/]*//[^/?]*@.*");
  private static final Pattern SECRET = Pattern.compile("(?is).*[?&](user|\\w*password)=.*");

  private DatabaseUrl() {}

  /** Returns what is wrong with it; nothing if it is missing, which is reported elsewhere. */
  static Optional<String> problem(@Nullable String url) {
    if (url == null) {
      return Optional.empty();
    }
    if (LOGIN.matcher(url).matches() || SECRET.matcher(url).matches()) {
      return Optional.of(
          "must not contain a user or a password: use the keys user, and password or password-file");
    }
    try {
      new PGSimpleDataSource().setUrl(url);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(
          "is not the address of a PostgreSQL database: write jdbc:postgresql://HOST:5432/DATABASE");
    }
  }
}
