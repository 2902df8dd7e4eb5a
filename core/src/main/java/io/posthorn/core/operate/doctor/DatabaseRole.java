package io.posthorn.core.operate.doctor;

/** What a database role is used for. Each use needs its own privileges. */
public enum DatabaseRole {
  /** Adds messages. */
  WRITER,
  /** Receives and handles messages. */
  RECEIVER,
  /** Delivers messages. */
  RELAY,
  /** Looks at messages and changes their delivery. */
  OPERATOR
}
