package io.posthorn.cli;

import io.posthorn.core.error.Sanitiser;
import org.jspecify.annotations.Nullable;

/**
 * A command failed. The message is the one line that the user reads: what was not done, and why.
 */
public final class CommandFailed extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int code;
  private final String details;

  public CommandFailed(String message, @Nullable Throwable cause) {
    this(message, "", cause);
  }

  /**
   * @param details more lines to show below the message, for example the end of a log; may be empty
   */
  public CommandFailed(String message, String details, @Nullable Throwable cause) {
    this(Exit.NOTHING_DONE, message, details, cause);
  }

  /**
   * @param code the exit code, one of {@link Exit}
   */
  public CommandFailed(int code, String message, String details) {
    this(code, message, details, null);
  }

  private CommandFailed(int code, String message, String details, @Nullable Throwable cause) {
    super(Sanitiser.clean(message), cause);
    this.code = code;
    this.details = details;
  }

  int code() {
    return code;
  }

  String details() {
    return details;
  }
}
