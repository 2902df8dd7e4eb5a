package io.posthorn.core.operate.audit;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;

/**
 * Who acts, and why. Every action that changes the delivery of messages requires both, and records
 * them in the audit.
 *
 * @param who a person or a program, in at most 200 characters
 * @param why the reason, in at most 2,000 characters
 */
public record Actor(String who, String why) {
  private static final int WHO = 200;
  private static final int WHY = 2_000;

  public Actor {
    check("who acts", who, WHO);
    check("the reason", why, WHY);
  }

  private static void check(String what, String value, int limit) {
    if (value.isBlank() || value.length() > limit) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "nothing was done: %s is %s. The audit records it; give it in at most %,d characters."
              .formatted(
                  what,
                  value.isBlank() ? "missing" : "%,d characters long".formatted(value.length()),
                  limit));
    }
  }
}
