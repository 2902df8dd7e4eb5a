package io.posthorn.core.bus;

import io.posthorn.core.observe.Observer;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.source.Source;
import java.util.Set;
import java.util.function.Function;

/**
 * The handlers of an application whose framework knows them, such as the methods of Spring's beans.
 * A test runs them with a relay of its own.
 */
public interface ApplicationHandlers {
  /** The consumers that these handlers belong to. */
  Set<String> consumers();

  /** Those of the consumers that receive from a source, and not from the log of the database. */
  Set<String> consumersOfSources();

  /**
   * Builds a bus with all these handlers; you start and close it.
   *
   * @param relay delivers what is added, and hands messages to the handlers
   * @param observer is notified of what the handlers do
   * @param sources gives each of {@link #consumersOfSources} the source to receive from
   */
  Bus bus(Relay.Builder relay, Observer observer, Function<String, Source> sources);
}
