package io.posthorn.core.operate.doctor;

import java.util.Comparator;

/**
 * One thing that was looked at.
 *
 * @param code what was looked at; stable, and the name of the error code if a relay refuses to
 *     start because of it
 * @param found what was found, with values; without a full stop
 * @param why why it matters
 * @param todo what to do, with a command where there is one; empty if it is in order
 */
public record Diagnosis(
    Subject subject, String code, Severity severity, String found, String why, String todo) {

  /** The worst first. */
  public static final Comparator<Diagnosis> WORST_FIRST =
      Comparator.comparing(Diagnosis::severity)
          .reversed()
          .thenComparing(Diagnosis::subject)
          .thenComparing(Diagnosis::code)
          .thenComparing(Diagnosis::found);
}
