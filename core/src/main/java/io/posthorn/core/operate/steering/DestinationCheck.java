package io.posthorn.core.operate.steering;

import io.posthorn.core.connector.Finding;
import java.time.Instant;
import java.util.List;

/**
 * What a relay found when it last checked whether messages could be sent to a destination.
 *
 * @param relay the relay that checked
 */
public record DestinationCheck(
    String destination, String relay, Instant at, List<Finding> findings) {
  /** The findings that keep messages from being sent. */
  public List<Finding> problems() {
    return findings.stream().filter(Finding::problem).toList();
  }
}
