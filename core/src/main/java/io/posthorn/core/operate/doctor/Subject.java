package io.posthorn.core.operate.doctor;

/** What it is about, for whoever shows it. */
public enum Subject {
  SERVER,
  TABLES,
  TRANSACTIONS,
  DELIVERY,
  RETENTION
}
