package io.posthorn.spring.actuator;

import io.posthorn.core.operate.steering.ParkedMessage;
import io.posthorn.core.operate.steering.Steering;
import java.util.List;
import java.util.UUID;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.lang.Nullable;

/**
 * {@code /actuator/posthornparked/NAME}: the parked messages of a destination that are first of
 * their keys, or all of one key.
 */
@WebEndpoint(id = "posthornparked")
public final class ParkedEndpoint {
  private final Steering steering;

  public ParkedEndpoint(Steering steering) {
    this.steering = steering;
  }

  /**
   * A page of parked messages.
   *
   * @param next the {@code after} of the next page; null on the last page
   */
  public record Page(List<ParkedMessage> parked, @Nullable UUID next) {}

  /** Lists parked messages. */
  @ReadOperation
  public WebEndpointResponse<Object> list(
      @Selector String destination,
      @Nullable String key,
      @Nullable String after,
      @Nullable String limit) {
    return Answers.of(
        () -> {
          int most = Answers.limit(limit);
          UUID last = Answers.optionalId("after", after);
          List<ParkedMessage> parked =
              key == null
                  ? steering.parked(destination, last, most)
                  : steering.parked(destination, Answers.key(key), last, most);
          return new Page(parked, parked.size() < most ? null : parked.get(most - 1).messageId());
        });
  }
}
