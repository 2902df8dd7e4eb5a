package io.posthorn.spring.actuator;

import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditEntry;
import java.util.List;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.lang.Nullable;

/** {@code /actuator/posthornaudit}: who did what and why, oldest first. */
@WebEndpoint(id = "posthornaudit")
public final class AuditEndpoint {
  private final Audit audit;

  public AuditEndpoint(Audit audit) {
    this.audit = audit;
  }

  /**
   * A page of entries.
   *
   * @param next the {@code after} of the next page; null on the last page
   */
  public record Page(List<AuditEntry> entries, @Nullable Long next) {}

  /** Lists the entries after this number. */
  @ReadOperation
  public WebEndpointResponse<Object> list(@Nullable String after, @Nullable String limit) {
    return Answers.of(
        () -> {
          int most = Answers.limit(limit);
          Long last = Answers.number("after", after);
          List<AuditEntry> entries = audit.after(last == null ? 0 : last, most);
          return new Page(entries, entries.size() < most ? null : entries.get(most - 1).n());
        });
  }
}
