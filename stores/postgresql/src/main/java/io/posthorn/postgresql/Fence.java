package io.posthorn.postgresql;

import io.posthorn.core.operate.audit.By;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.restore.Restore;

/** Gives the database a name that no relay can have. */
final class Fence {
  private final Database database;

  Fence(Database database) {
    this.database = database;
  }

  boolean close(By by) {
    try {
      return fence(by);
    } catch (PosthornException e) {
      throw Failures.forTheOwner(e);
    }
  }

  private boolean fence(By by) {
    return database.transaction(
        "fencing the database",
        tx -> {
          Names.exclude(tx);
          Names names = Names.read(tx);
          String environment = names.environment();
          if (environment != null && environment.startsWith(Restore.FENCED)) {
            return false;
          }
          Lanes.lockAll(tx);
          Names.endLeases(tx);
          String fenced = Restore.FENCED + (environment == null ? "nobody's" : environment);
          Names.fence(tx, fenced);
          AuditLog.write(tx, by, "restore.fence", "environment " + fenced, environment, fenced);
          return true;
        });
  }
}
