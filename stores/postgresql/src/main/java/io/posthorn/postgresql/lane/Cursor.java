package io.posthorn.postgresql.lane;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A lane's stored progress. Everything that s1 sees is settled. If a window is open, its messages
 * up to {@code last} and those in {@code ahead} are settled, too.
 */
public record Cursor(
    UUID id, Snapshot s1, long low1, @Nullable Window window, long last, List<Long> ahead) {

  public static Cursor of(ResultSet row) throws SQLException {
    Snapshot s1 = Snapshot.parse(row.getString("s1"));
    long low1 = row.getLong("low1");
    String s2 = row.getString("s2");
    Window window =
        s2 == null
            ? null
            : new Window(s1, low1, Snapshot.parse(s2), row.getLong("low2"), row.getLong("high2"));
    return new Cursor(
        row.getObject("id", UUID.class),
        s1,
        low1,
        window,
        row.getLong("last_seq"),
        longs(row.getArray("ahead")));
  }

  /** Returns the number stored with the newest snapshot. */
  long low() {
    return window == null ? low1 : window.low2();
  }

  private static List<Long> longs(Array array) throws SQLException {
    return List.of((Long[]) array.getArray());
  }
}
