package io.posthorn.core.error;

/**
 * Recognises one kind of text that must be neither kept nor logged, and replaces it with ***.
 *
 * <p>The texts are written by others. So the work of a rule must grow no faster than the length of
 * the text, whatever the text is.
 */
public interface Rule {
  /** Stands where text was removed. */
  String REMOVED = "***";

  /** The text without what this rule recognises. */
  CharSequence apply(CharSequence text);
}
