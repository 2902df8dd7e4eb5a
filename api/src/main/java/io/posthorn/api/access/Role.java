package io.posthorn.api.access;

import java.util.Set;

/** The roles that people and programs are given, each a set of rights in one database. */
public enum Role {
  /** Sees everything except payloads. */
  VIEWER,
  /** Sees payloads, too. */
  PAYLOAD_READER,
  /** Changes the delivery of messages without seeing payloads. */
  OPERATOR,
  /** May do everything. */
  ADMIN,
  /** Adds messages, and sees nothing. For services. */
  WRITER;

  /** The rights of this role. */
  public Set<Right> rights() {
    return switch (this) {
      case VIEWER -> Set.of(Right.VIEW);
      case PAYLOAD_READER -> Set.of(Right.VIEW, Right.READ_PAYLOADS);
      case OPERATOR -> Set.of(Right.VIEW, Right.OPERATE);
      case ADMIN -> Set.of(Right.values());
      case WRITER -> Set.of(Right.ADD);
    };
  }
}
