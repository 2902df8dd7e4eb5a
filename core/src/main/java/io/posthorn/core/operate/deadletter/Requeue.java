package io.posthorn.core.operate.deadletter;

import org.jspecify.annotations.Nullable;

/** How a letter goes on its way again. */
public final class Requeue {
  /** As it is, with the id it has. */
  public static final Requeue SAME = new Requeue(false, false, null, null, true);

  /** One attempt, by hand. */
  public static final Requeue ONCE = new Requeue(false, true, null, null, true);

  private final boolean newId;
  private final boolean once;
  private final byte @Nullable [] payload;
  private final @Nullable String cipherKey;
  private final boolean checked;

  private Requeue(
      boolean newId,
      boolean once,
      byte @Nullable [] payload,
      @Nullable String cipherKey,
      boolean checked) {
    this.newId = newId;
    this.once = once;
    this.payload = payload;
    this.cipherKey = cipherKey;
    this.checked = checked;
  }

  /**
   * Under a new id: the receiver takes it for another message, and does not drop it if it has seen
   * the old one.
   */
  public Requeue withNewId() {
    return new Requeue(true, once, payload, cipherKey, checked);
  }

  /** With this in place of the stored payload; the letter keeps both. */
  public Requeue withPayload(byte[] corrected) {
    return new Requeue(newId, once, corrected.clone(), null, checked);
  }

  /** Takes the payload without looking at it, whatever its content type and its type say. */
  public Requeue unchecked() {
    return new Requeue(newId, once, payload, cipherKey, false);
  }

  /** With the payload encrypted, as it is to be stored. */
  Requeue encrypted(byte[] stored, String key) {
    return new Requeue(newId, once, stored, key, checked);
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

  /** The key that the payload is encrypted with; a store takes only what its letter has. */
  public @Nullable String cipherKey() {
    return cipherKey;
  }

  boolean checked() {
    return checked;
  }
}
