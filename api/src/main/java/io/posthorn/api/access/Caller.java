package io.posthorn.api.access;

/** Who sends a request, and what they may do in each database. */
public interface Caller {
  /** Somebody who has not logged in. They may do nothing. */
  Caller NOBODY =
      new Caller() {
        @Override
        public String name() {
          return "nobody";
        }

        @Override
        public boolean may(Right right, String database) {
          return false;
        }
      };

  /** The name that the audit records. */
  String name();

  /** Whether this caller has the right in this database. */
  boolean may(Right right, String database);
}
