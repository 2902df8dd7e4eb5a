package io.posthorn.core.store;

/**
 * The lane belongs to another relay now, or the stored progress is not the one this relay knew.
 * Whatever it holds of that lane must be dropped; nothing was written.
 */
public final class LaneLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public LaneLostException(Lane lane, String why) {
    super("lane " + lane + " is not held by this relay any more: " + why);
  }
}
