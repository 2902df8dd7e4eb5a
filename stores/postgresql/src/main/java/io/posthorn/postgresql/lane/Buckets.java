package io.posthorn.postgresql.lane;

import io.posthorn.postgresql.sql.Query;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The range of buckets that a lane has, both ends included. Statements ask for the bucket of a
 * message only if the range is not the whole one, because computing it takes time.
 */
public record Buckets(int first, int last) {
  /** The buckets of a destination with one lane. */
  public static final Buckets ALL = new Buckets(0, 255);

  public static Buckets of(ResultSet row) throws SQLException {
    return new Buckets(row.getInt("first_bucket"), row.getInt("last_bucket"));
  }

  public Query set(Query query) throws SQLException {
    return query.set("everyBucket", equals(ALL)).set("firstBucket", first).set("lastBucket", last);
  }
}
