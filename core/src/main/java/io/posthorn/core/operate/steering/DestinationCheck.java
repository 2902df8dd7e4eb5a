package io.posthorn.core.operate.steering;

import io.posthorn.core.connector.Finding;
import java.time.Instant;
import java.util.List;

/**
 * What a relay found when it last looked whether a destination could be sent to.
 *
 * @param relay the one that looked
 */
public record DestinationCheck(
    String destination, String relay, Instant at, List<Finding> findings) {
  /** Because of these nothing can be sent. */
  public List<Finding> problems() {
    return findings.stream().filter(Finding::problem).toList();
  }
}
