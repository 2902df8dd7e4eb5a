package io.posthorn.crashtests;

import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.SmallDisk;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The disk of the server is full for a while; relays and producers live on. */
@Tag("slow")
class FullDiskTest {
  private static final Duration A_WHILE = Duration.ofSeconds(2);
  private static final String DISK_FULL = "53100";
  private static final String NO_CONNECTION = "08";

  /** Needs room in a table. */
  private static final String ROWS =
      """
      CREATE TABLE IF NOT EXISTS ballast (id bigint);
      INSERT INTO ballast SELECT n FROM generate_series(1, 20000) n
      """;

  /** Needs another file for the server's own log; without it the server cannot go on. */
  private static final String WAL =
      """
      DO $$
      BEGIN
        PERFORM pg_logical_emit_message(false, 'ballast', repeat('x', 1000));
        PERFORM pg_switch_wal();
      END $$
      """;

  @Test
  void nothing_is_lost_when_the_disk_is_full_for_a_while() {
    try (SmallDisk disk = SmallDisk.ofMegabytes(200);
        EmbeddedPostgres postgres =
            EmbeddedPostgres.builder()
                .dataDirectory(disk.directory().resolve("data"))
                .setting("max_wal_size", "32MB")
                .setting("min_wal_size", "32MB")
                .start();
        World world = World.in(postgres, 25)) {
      world.start("a");
      world.start("b");
      world.awaitShared(2);
      world.traffic().everything();
      // A log file of its own has room enough for the first part.
      world.query().execute(WAL);
      world.awaitDelivery(World.ORDERS);

      disk.fill();
      world.eventually(
          "the server to refuse rows",
          () -> refusal(world, ROWS).startsWith(DISK_FULL) ? true : null);
      LockSupport.parkNanos(A_WHILE.toNanos());
      disk.free();
      world.awaitDelivery(World.ORDERS);

      disk.fill();
      world.eventually(
          "the server to die", () -> refusal(world, WAL).startsWith(NO_CONNECTION) ? true : null);
      world.serverCrashed();
      LockSupport.parkNanos(A_WHILE.toNanos());
      disk.free();
      // Where there is room for it, it has come back by itself.
      postgres.kill();
      world.serverCrashed();
      postgres.start();
      world.awaitDelivery(World.ORDERS);
      world.finish();
    }
  }

  /** The SQLSTATE of it, or nothing. */
  private static String refusal(World world, String what) {
    try {
      world.query().execute(what);
      return "";
    } catch (IllegalStateException refused) {
      return refused.getCause() instanceof SQLException e ? String.valueOf(e.getSQLState()) : "";
    }
  }
}
