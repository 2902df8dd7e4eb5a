package io.posthorn.console.page;

import java.util.List;

/**
 * Something that a person should know or do: cause, effect, next step.
 *
 * @param kind trouble, waiting, dead or good; it decides colour and icon
 * @param cause what is the matter, in one sentence
 * @param effect what follows from it, and what does not
 * @param steps what to do, the best first
 */
public record Problem(String kind, String cause, String effect, List<Step> steps) {
  /** The name of its icon. */
  public String icon() {
    return kind;
  }
}
