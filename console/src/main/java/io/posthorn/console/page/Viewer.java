package io.posthorn.console.page;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Right;
import java.util.Locale;

/** Who looks at a page, and what they may do in its database. Templates know it as {@code me}. */
public record Viewer(Caller caller, String database) {
  /** The name that the audit records. */
  public String name() {
    return caller.name();
  }

  public boolean operates() {
    return caller.may(Right.OPERATE, database);
  }

  public boolean readsPayloads() {
    return caller.may(Right.READ_PAYLOADS, database);
  }

  public boolean administers() {
    return caller.may(Right.ADMINISTER, database);
  }

  /** The role that these rights make up. */
  public String role() {
    if (administers()) {
      return "admin";
    }
    if (operates()) {
      return "operator";
    }
    return readsPayloads() ? "payload reader" : "viewer";
  }

  /** Whether they may use an action that needs this right. */
  public boolean may(Right right) {
    return caller.may(right, database);
  }

  /** What is missing, for a button that is not theirs. */
  public String missing(Right right) {
    return "needs the right %s".formatted(right.name().toLowerCase(Locale.ROOT).replace('_', ' '));
  }
}
