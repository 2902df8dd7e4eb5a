package io.posthorn.core.error;

/**
 * Recognises one kind of text that is neither kept nor logged, and puts *** in its place. Its work
 * grows with the length of the text and no faster, whatever the text is: others write it.
 */
interface Rule {
  String REMOVED = "***";

  CharSequence apply(CharSequence text);
}
