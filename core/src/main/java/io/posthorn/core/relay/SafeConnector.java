package io.posthorn.core.relay;

import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.trace.LogFields;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a connector says of itself. If it throws instead, nothing ends for it; the log tells once of
 * each.
 */
final class SafeConnector {
  private static final Logger LOG = LoggerFactory.getLogger(SafeConnector.class);

  /** Types are what programs write: there may be any number. */
  private static final int MAX_LOGGED = 100;

  private final Destination destination;
  private final Set<String> logged = new HashSet<>();

  SafeConnector(Destination destination) {
    this.destination = destination;
  }

  /** Whether it has code for this type; null = it does not say. */
  @Nullable Boolean serves(String type) {
    try {
      return destination.connector().serves(type);
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
      logOnce("whether it serves type '" + type + "', which waits", e);
      return null;
    }
  }

  /** How many it takes at once; if it does not say, one at a time. */
  int maxInFlight() {
    try {
      return destination.connector().maxInFlight();
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
      logOnce("how many messages it takes at once: one at a time", e);
      return 1;
    }
  }

  private void logOnce(String what, Throwable thrown) {
    if (logged.size() < MAX_LOGGED && logged.add(what)) {
      LOG.atWarn()
          .setCause(Sanitiser.clean(thrown))
          .addKeyValue(LogFields.DESTINATION, destination.name())
          .log("The connector does not say {}", what);
    }
  }
}
