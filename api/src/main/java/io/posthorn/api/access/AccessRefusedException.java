package io.posthorn.api.access;

/** The guard did not let a request through. The text is for the caller. */
public final class AccessRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Why why;

  /** The kinds of refusal. */
  public enum Why {
    /** Nobody has logged in. */
    NOT_LOGGED_IN,
    /** The caller lacks a right in a database that they may see. */
    RIGHT_MISSING,
    /** There is no such database, or the caller may not see it; both look the same. */
    NO_SUCH_DATABASE
  }

  AccessRefusedException(Why why, String text) {
    super(text);
    this.why = why;
  }

  public Why why() {
    return why;
  }

  /** The text for the caller. */
  public String text() {
    return String.valueOf(getMessage());
  }

  /** The caller lacks a right in a database that they may see. */
  public static AccessRefusedException lacking(Caller caller, Right right, String database) {
    return new AccessRefusedException(
        Why.RIGHT_MISSING,
        "nothing was done: '%s' lacks the right %s in database '%s'."
            .formatted(caller.name(), right.text(), database));
  }
}
