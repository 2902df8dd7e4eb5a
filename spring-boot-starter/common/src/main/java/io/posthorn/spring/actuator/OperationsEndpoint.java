package io.posthorn.spring.actuator;

import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import java.util.List;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.lang.Nullable;

/** {@code /actuator/posthornoperations}: bulk operations and their progress, newest first. */
@WebEndpoint(id = "posthornoperations")
public final class OperationsEndpoint {
  private final Operations operations;

  public OperationsEndpoint(Operations operations) {
    this.operations = operations;
  }

  /** The newest operations. */
  public record Newest(List<Operation> operations) {}

  /** Lists the newest operations. */
  @ReadOperation
  public WebEndpointResponse<Object> list(@Nullable String limit) {
    return Answers.of(() -> new Newest(operations.list(Answers.limit(limit))));
  }

  /** Returns one operation by its id. */
  @ReadOperation
  public WebEndpointResponse<Object> one(@Selector String id) {
    return Answers.ofOne(
        () -> operations.find(Answers.id("the id", id)), "there is no operation " + id);
  }
}
