package io.posthorn.core.operate.doctor;

/** How bad a finding is, from harmless to worst. */
public enum Severity {
  /** As it should be. */
  OK,
  /** Worth knowing. There is nothing to do. */
  NOTE,
  /** Nothing is broken yet, or only a part is. Fix it soon. */
  WARNING,
  /** Messages are not delivered, cannot be added, or may be lost. */
  FAULT
}
