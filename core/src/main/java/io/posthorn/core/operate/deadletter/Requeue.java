package io.posthorn.core.operate.deadletter;

import org.jspecify.annotations.Nullable;

/** How a dead letter is requeued. */
public final class Requeue {
  /** Unchanged, under its own id. */
  public static final Requeue SAME = new Requeue(false, false, null, null, true);

  /** Unchanged, for a single attempt. */
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
   * Requeues it under a new id. The receiver treats it as another message, and handles it even if
   * it has already handled the old one.
   */
  public Requeue withNewId() {
    return new Requeue(true, once, payload, cipherKey, checked);
  }

  /** Requeues it with a corrected payload. The letter keeps both payloads. */
  public Requeue withPayload(byte[] corrected) {
    return new Requeue(newId, once, corrected.clone(), null, checked);
  }

  /** Skips the checks of the payload. */
  public Requeue unchecked() {
    return new Requeue(newId, once, payload, cipherKey, false);
  }

  /** Sets the payload in its encrypted form. */
  Requeue encrypted(byte[] stored, String key) {
    return new Requeue(newId, once, stored, key, checked);
  }

  /** Whether it gets a new id. */
  public boolean newId() {
    return newId;
  }

  /** Whether it gets only one attempt, and is dead again at once if that fails. */
  public boolean once() {
    return once;
  }

  /** The corrected payload; null for the stored one. */
  public byte @Nullable [] payload() {
    return payload == null ? null : payload.clone();
  }

  /** The id of the key that the payload is encrypted with. It must be the letter's own. */
  public @Nullable String cipherKey() {
    return cipherKey;
  }

  boolean checked() {
    return checked;
  }
}
