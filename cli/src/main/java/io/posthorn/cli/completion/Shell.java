package io.posthorn.cli.completion;

import java.util.Locale;

/** A shell whose completion can be extended. */
enum Shell {
  BASH,
  ZSH;

  /** The word of the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
