package io.posthorn.postgresql.operate.restore;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.postgresql.lane.Lanes;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.schema.DatabaseIdentity;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.SqlFailures;

/**
 * Fences a database: renames its environment to a name that no relay can have, so that none starts.
 */
public final class Fence {
  private final Database database;

  public Fence(Database database) {
    this.database = database;
  }

  public boolean close(Actor by) {
    try {
      return fence(by);
    } catch (PosthornException e) {
      throw SqlFailures.forTheOwner(e);
    }
  }

  private boolean fence(Actor by) {
    return database.transaction(
        "fencing the database",
        tx -> {
          DatabaseIdentity.exclude(tx);
          DatabaseIdentity names = DatabaseIdentity.read(tx);
          String environment = names.environment();
          if (environment != null && environment.startsWith(Restore.FENCED)) {
            return false;
          }
          Lanes.lockAll(tx);
          DatabaseIdentity.endLeases(tx);
          String fenced = Restore.FENCED + (environment == null ? "nobody's" : environment);
          DatabaseIdentity.fence(tx, fenced);
          AuditLog.write(tx, by, "restore.fence", "environment " + fenced, environment, fenced);
          return true;
        });
  }
}
