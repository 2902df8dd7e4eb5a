package io.posthorn.core.deadletter;

import org.jspecify.annotations.Nullable;

/** How a letter goes on its way again. */
public final class Requeue {
  /** As it is, with the id it has. */
  public static final Requeue SAME = new Requeue(false, false, null);

  /** One attempt, by hand. */
  public static final Requeue ONCE = new Requeue(false, true, null);

  private final boolean newId;
  private final boolean once;
  private final byte @Nullable [] payload;

  private Requeue(boolean newId, boolean once, byte @Nullable [] payload) {
    this.newId = newId;
    this.once = once;
    this.payload = payload;
  }

  /**
   * Under a new id: the receiver takes it for another message, and does not drop it if it has seen
   * the old one.
   */
  public Requeue withNewId() {
    return new Requeue(true, once, payload);
  }

  /** With this in place of the stored payload; the letter keeps the old one. */
  public Requeue withPayload(byte[] corrected) {
    return new Requeue(newId, once, corrected.clone());
  }

  public boolean newId() {
    return newId;
  }

  /** One attempt only; if that fails it is dead again at once. */
  public boolean once() {
    return once;
  }

  /** In place of the stored one; none = as it is. */
  public byte @Nullable [] payload() {
    return payload == null ? null : payload.clone();
  }
}
