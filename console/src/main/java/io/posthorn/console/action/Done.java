package io.posthorn.console.action;

import org.jspecify.annotations.Nullable;

/**
 * What was done.
 *
 * @param said for the person who did it
 * @param next the page to show now; null for the page that they came from
 * @param undo the dialog that takes it back; null if nothing can
 */
record Done(String said, @Nullable String next, @Nullable String undo) {
  static Done said(String said) {
    return new Done(said, null, null);
  }

  Done undoneBy(String href) {
    return new Done(said, next, href);
  }

  Done at(String href) {
    return new Done(said, href, undo);
  }
}
