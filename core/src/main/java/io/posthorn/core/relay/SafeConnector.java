package io.posthorn.core.relay;

import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.trace.LogFields;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a connector about itself. If the connector throws, delivery goes on and each failure is
 * logged once.
 */
final class SafeConnector {
  private static final Logger LOG = LoggerFactory.getLogger(SafeConnector.class);

  /** Bounds the set, since programs can use any number of types. */
  static final int MAX_LOGGED = 100;

  private final Destination destination;
  private final Set<String> logged = new HashSet<>();

  SafeConnector(Destination destination) {
    this.destination = destination;
  }

  /** Whether the connector has code for this type; null if it throws. */
  @Nullable Boolean serves(String type) {
    try {
      return destination.connector().serves(type);
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
      logOnce("whether it serves type '" + type + "'; messages of this type wait", e);
      return null;
    }
  }

  /** Why the connector's code cannot read this version; null if it can. */
  @Nullable String versionProblem(String type, int schemaVersion) {
    try {
      return destination.connector().versionProblem(type, schemaVersion).orElse(null);
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
      String what = "whether it reads version %d of type '%s'".formatted(schemaVersion, type);
      logOnce(what + "; its messages wait", e);
      return "the connector failed to say " + what;
    }
  }

  /** How many messages the connector takes at once; 1 if it throws. */
  int maxInFlight() {
    try {
      return destination.connector().maxInFlight();
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
      logOnce("how many messages it takes at once; it gets one at a time", e);
      return 1;
    }
  }

  int logged() {
    return logged.size();
  }

  private void logOnce(String what, Throwable thrown) {
    if (logged.size() < MAX_LOGGED && logged.add(what)) {
      LOG.atWarn()
          .setCause(Sanitiser.clean(thrown))
          .addKeyValue(LogFields.DESTINATION, destination.name())
          .log("The connector failed when it was asked {}", what);
    }
  }
}
