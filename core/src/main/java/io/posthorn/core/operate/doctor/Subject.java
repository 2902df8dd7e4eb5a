package io.posthorn.core.operate.doctor;

/** The part of the system that a check is about, for grouping results. */
public enum Subject {
  SERVER,
  TABLES,
  TRANSACTIONS,
  DELIVERY,
  RETENTION
}
