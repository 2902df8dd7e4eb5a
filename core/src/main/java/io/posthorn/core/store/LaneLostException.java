package io.posthorn.core.store;

/**
 * Thrown when the lane belongs to another relay, or the stored progress is not the one that this
 * relay knows. Nothing was written, and the relay must drop everything that it holds of the lane.
 */
public final class LaneLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Reports the loss of this lane, and why it was noticed. */
  public LaneLostException(Lane lane, String why) {
    super("this relay no longer holds lane " + lane + ": " + why);
  }
}
