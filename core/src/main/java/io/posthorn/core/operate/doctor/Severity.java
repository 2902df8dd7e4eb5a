package io.posthorn.core.operate.doctor;

/** How bad it is. The order counts: the worst is last. */
public enum Severity {
  /** As it should be. */
  OK,
  /** Worth knowing; nothing need be done. */
  NOTE,
  /** Nothing is wrong yet, or only a part is; it should be mended. */
  WARNING,
  /** Messages are not delivered, cannot be added, or are in danger. */
  FAULT
}
