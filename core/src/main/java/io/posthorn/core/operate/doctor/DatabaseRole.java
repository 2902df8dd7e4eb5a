package io.posthorn.core.operate.doctor;

/** What a role of the database is there for; each needs rights of its own. */
public enum DatabaseRole {
  WRITER,
  RECEIVER,
  RELAY,
  OPERATOR
}
