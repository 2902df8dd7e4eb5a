package io.posthorn.core.operate.doctor;

import java.util.Comparator;

/**
 * The result of one check.
 *
 * @param code the stable name of the check; if a relay refuses to start because of it, the name of
 *     the error code
 * @param found what was found, with values, without a full stop
 * @param why why it matters
 * @param todo what to do, with a command if there is one; empty if there is nothing to do
 */
public record Diagnosis(
    Subject subject, String code, Severity severity, String found, String why, String todo) {

  /** Sorts the worst first. */
  public static final Comparator<Diagnosis> WORST_FIRST =
      Comparator.comparing(Diagnosis::severity)
          .reversed()
          .thenComparing(Diagnosis::subject)
          .thenComparing(Diagnosis::code)
          .thenComparing(Diagnosis::found);
}
