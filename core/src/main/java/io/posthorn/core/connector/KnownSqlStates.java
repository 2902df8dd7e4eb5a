package io.posthorn.core.connector;

import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The SQLSTATEs of the databases whose stores are on the class path. */
final class KnownSqlStates {
  private static final Logger LOG = LoggerFactory.getLogger(KnownSqlStates.class);

  /** Replaced as a whole, so that a reader needs no lock. */
  private static volatile List<SqlStates> all = List.of();

  static {
    try {
      ServiceLoader.load(SqlStates.class, SqlStates.class.getClassLoader())
          .forEach(KnownSqlStates::add);
    } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
      LOG.error(
          "The SQLSTATEs of a store were not loaded, so messages may be blamed for outages of a"
              + " database until the store is created: {}. Correct the files META-INF/services/{} on"
              + " the class path.",
          e,
          SqlStates.class.getName());
    }
  }

  private KnownSqlStates() {}

  static boolean any(Predicate<SqlStates> said) {
    return all.stream().anyMatch(said);
  }

  /** Adds these unless those of the same class were added before. */
  static synchronized void add(SqlStates added) {
    if (all.stream().noneMatch(known -> known.getClass() == added.getClass())) {
      all = Stream.concat(all.stream(), Stream.of(added)).toList();
    }
  }
}
