package io.posthorn.core.doctor;

/** What it is about, for whoever shows it. */
public enum Subject {
  SERVER,
  TABLES,
  TRANSACTIONS,
  DELIVERY,
  RETENTION
}
