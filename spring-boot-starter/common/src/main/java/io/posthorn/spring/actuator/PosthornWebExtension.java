package io.posthorn.spring.actuator;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.lang.Nullable;

/** Says over HTTP what was wrong with a request to pause or resume. */
@EndpointWebExtension(endpoint = PosthornEndpoint.class)
public final class PosthornWebExtension {
  private final PosthornEndpoint endpoint;

  public PosthornWebExtension(PosthornEndpoint endpoint) {
    this.endpoint = endpoint;
  }

  /** Pauses or resumes a destination. */
  @WriteOperation
  public WebEndpointResponse<Object> steer(
      @Selector String destination,
      @Nullable String action,
      @Nullable String why,
      SecurityContext security) {
    return Answers.of(
        () -> {
          if (action == null) {
            throw Answers.wrong(
                "nothing was done: action is missing; send for example {\"action\": \"pause\", \"why\": \"the mail server moves\"}");
          }
          PosthornEndpoint.Action chosen =
              Answers.oneOf(PosthornEndpoint.Action.class, "action", action);
          if (why == null) {
            throw Answers.wrong(
                "nothing was done: why is missing; it is recorded in the audit log");
          }
          return endpoint.change(destination, chosen, why, security);
        });
  }
}
