package io.posthorn.postgresql.operate.retention;

import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.retention.RetentionStatus;
import io.posthorn.core.operate.retention.RetentionStatus.Leaf;
import io.posthorn.core.operate.retention.RetentionStatus.Unread;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.postgresql.operate.archive.ArchivesInUse;
import io.posthorn.postgresql.schema.Ring;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads which leaves are kept, and what each of them waits for. */
public final class RetentionReader {
  private static final String SIZE =
      """
      SELECT pg_total_relation_size(to_regclass('%1$s')) AS bytes,
             (SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass('%1$s')) AS rows,
             (SELECT seq FROM %1$s ORDER BY seq LIMIT 1) AS first_seq,
             (SELECT seq FROM %1$s ORDER BY seq DESC LIMIT 1) AS last_seq,
             (SELECT recorded_at FROM %1$s ORDER BY seq LIMIT 1) AS oldest,
             (SELECT recorded_at FROM %1$s ORDER BY seq DESC LIMIT 1) AS newest
      """;

  private static final List<Sql> SIZES =
      IntStream.range(0, Ring.LEAVES)
          .mapToObj(slot -> Sql.of("measure leaf", SIZE.formatted(Ring.LOG.leaf(slot).table())))
          .toList();

  private static final Sql LANES =
      Sql.of(
          "read places",
          """
          SELECT l.destination, min(greatest(p.low1, p.last_seq)) AS place,
                 (date_part('epoch', min(p.at)) * 1000000)::bigint AS since
            FROM posthorn_lane l
           CROSS JOIN LATERAL
                 (SELECT p.low1, p.last_seq, p.at
                    FROM posthorn_progress p
                   WHERE p.destination = l.destination
                     AND p.lane = l.lane
                   ORDER BY p.n DESC
                   LIMIT 1) p
           GROUP BY l.destination
           ORDER BY l.destination
          """);

  /** A leaf that is not empty. */
  private record Size(
      Ring.Leaf leaf,
      long bytes,
      long rows,
      long first,
      long last,
      @Nullable Instant oldest,
      @Nullable Instant newest) {

    /** Estimates how many of its bytes are after this position. */
    long behind(long place) {
      long unread = last - Math.max(first - 1, place);
      return unread <= 0 ? 0 : (long) ((double) bytes * unread / (last - first + 1));
    }
  }

  private final Database database;

  public RetentionReader(Database database) {
    this.database = database;
  }

  public RetentionStatus status(RetentionTimes times) {
    int today = Retention.today(database);
    List<Size> sizes = new ArrayList<>();
    List<Leaf> leaves = new ArrayList<>();
    for (int day = 2; day <= Ring.LEAVES + 1; day++) {
      int slot = (today + day) % Ring.LEAVES;
      Size size = size(slot);
      if (size != null) {
        sizes.add(size);
        boolean untouched = day > Ring.LEAVES - 2;
        leaves.add(leaf(size, untouched, times));
      }
    }
    leaves.addAll(new ReceiptExpiry(database).leaves());
    return new RetentionStatus(
        leaves, unread(sizes), new LetterExpiry(database).expiring(times.dead()));
  }

  private Leaf leaf(Size size, boolean untouched, RetentionTimes times) {
    List<String> waitsFor = new ArrayList<>();
    if (untouched) {
      waitsFor.add("it is the leaf of yesterday, today or tomorrow");
    } else {
      waitsFor.addAll(
          database.transaction(
              "checking " + size.leaf.table(),
              tx -> {
                List<String> stays = Retention.reasonsToStay(tx, size.leaf, times.sent());
                return stays.isEmpty()
                    ? ArchivesInUse.reasonsToStay(tx, size.leaf, Archive.NONE)
                    : stays;
              }));
      String user = Retention.user(database, size.leaf.users());
      if (user != null) {
        waitsFor.add("an open transaction uses it (" + user + ")");
      }
    }
    return new Leaf(size.leaf.table(), size.oldest, size.newest, size.bytes, size.rows, waitsFor);
  }

  private @Nullable Size size(int slot) {
    return database
        .ask(
            "measuring a leaf",
            SIZES.get(slot),
            query ->
                query.rows(
                    row -> {
                      long first = row.getLong("first_seq");
                      boolean empty = row.wasNull();
                      long last = row.getLong("last_seq");
                      long rows = row.getLong("rows");
                      return new Size(
                          Ring.LOG.leaf(slot),
                          row.getLong("bytes"),
                          empty ? 0 : rows > 0 ? rows : last - first + 1,
                          first,
                          last,
                          Times.nullable(row, "oldest"),
                          Times.nullable(row, "newest"));
                    }))
        .stream()
        .filter(size -> size.rows > 0)
        .findFirst()
        .orElse(null);
  }

  private List<Unread> unread(List<Size> sizes) {
    return database.ask(
        "reading the positions of destinations",
        LANES,
        query ->
            query.rows(
                row -> {
                  long place = row.getLong("place");
                  return new Unread(
                      Objects.requireNonNull(row.getString("destination")),
                      sizes.stream().mapToLong(size -> size.behind(place)).sum(),
                      Times.instant(row.getLong("since")));
                }));
  }
}
