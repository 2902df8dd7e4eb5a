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
  private static final int MOST_TOLD = 100;

  private final Destination destination;
  private final Set<String> told = new HashSet<>();

  SafeConnector(Destination destination) {
    this.destination = destination;
  }

  /** Whether it has code for this type; null = it does not say. */
  @Nullable Boolean serves(String type) {
    try {
      return destination.connector().serves(type);
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
      tell("whether it serves type '" + type + "', which waits", e);
      return null;
    }
  }

  /** How many it takes at once; if it does not say, one at a time. */
  int maxInFlight() {
    try {
      return destination.connector().maxInFlight();
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
      tell("how many messages it takes at once: one at a time", e);
      return 1;
    }
  }

  private void tell(String what, Throwable why) {
    if (told.size() < MOST_TOLD && told.add(what)) {
      LOG.atWarn()
          .setCause(Sanitiser.clean(why))
          .addKeyValue(LogFields.DESTINATION, destination.name())
          .log("The connector does not say {}", what);
    }
  }
}
