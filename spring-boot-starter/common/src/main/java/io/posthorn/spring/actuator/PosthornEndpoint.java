package io.posthorn.spring.actuator;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.status.Status;
import io.posthorn.core.operate.steering.Pause;
import io.posthorn.core.operate.steering.Steering;
import java.security.Principal;
import java.util.List;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * {@code /actuator/posthorn}: shows the state of everything, and pauses or resumes a destination.
 * Pauses are audited with the name of the logged-in user.
 */
@Endpoint(id = "posthorn")
public final class PosthornEndpoint {
  private static final int PAUSES = 100;
  private static final Set<ErrorCode> ERRORS_OF_THE_CALLER =
      Set.of(ErrorCode.INVALID_REQUEST, ErrorCode.NOT_FOUND, ErrorCode.CONFLICT);

  private final OperatorStore store;

  public PosthornEndpoint(OperatorStore store) {
    this.store = store;
  }

  /** The state of destinations, relays, log and pauses. */
  public record State(
      List<Status.Backlog> destinations,
      List<Status.LiveRelay> relays,
      Status.Log log,
      List<Pause> pauses) {}

  /**
   * The result of a change.
   *
   * @param changed false if the destination was already in that state
   */
  public record Changed(String destination, boolean paused, boolean changed) {}

  @ReadOperation
  public State state() {
    Status status = store.status();
    return new State(
        status.destinations(), status.relays(), status.log(), Steering.on(store).pauses(PAUSES));
  }

  /**
   * Pauses or resumes a destination.
   *
   * @param why recorded in the audit log
   */
  @WriteOperation
  public Changed steer(
      @Selector String destination, Action action, String why, SecurityContext security) {
    try {
      return change(destination, action, why, security);
    } catch (PosthornException e) {
      if (!ERRORS_OF_THE_CALLER.contains(e.code())) {
        throw e;
      }
      throw new InvalidEndpointRequestException(e.getMessage(), e.getMessage(), e);
    }
  }

  Changed change(String destination, Action action, String why, SecurityContext security) {
    Steering steering = Steering.on(store);
    boolean pause = action == Action.PAUSE;
    Actor by = new Actor(who(security), why);
    boolean changed = pause ? steering.pause(destination, by) : steering.resume(destination, by);
    return new Changed(destination, pause, changed);
  }

  private static String who(SecurityContext security) {
    Principal principal = security.getPrincipal();
    return principal == null ? "actuator (no user is logged in)" : principal.getName();
  }

  /** What the endpoint can do to a destination. */
  public enum Action {
    PAUSE,
    RESUME
  }
}
