package io.posthorn.postgresql.sql;

import io.posthorn.core.message.Key;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One or more statements on a connection, run in one round trip, with parameters set by name. */
public final class Query implements AutoCloseable {
  private final Connection connection;
  private final String text;
  private final List<String> parameters;
  private final PreparedStatement statement;
  private final int settingsResults;
  private boolean executed;

  public Query(Connection connection, TableNames tables, Settings settings, Sql... statements)
      throws SQLException {
    this.connection = connection;
    if (statements.length == 1) {
      this.text = settings.text() + tables.in(statements[0]);
      this.parameters = statements[0].parameters();
    } else {
      StringBuilder all = new StringBuilder(settings.text());
      this.parameters = new ArrayList<>();
      for (Sql sql : statements) {
        all.append(tables.in(sql)).append("; ");
        parameters.addAll(sql.parameters());
      }
      this.text = all.toString();
    }
    this.settingsResults = settings.results();
    this.statement = connection.prepareStatement(text);
  }

  public Query set(String name, @Nullable Object value) throws SQLException {
    boolean known = false;
    for (int i = 0; i < parameters.size(); i++) {
      if (parameters.get(i).equals(name)) {
        set(i + 1, value);
        known = true;
      }
    }
    if (!known) {
      throw new IllegalArgumentException("no parameter '" + name + "' in " + text);
    }
    return this;
  }

  /** Sets an array whose element type its elements do not show. */
  public Query setArray(String name, String elementType, Object[] values) throws SQLException {
    return set(name, connection.createArrayOf(elementType, values));
  }

  private void set(int index, @Nullable Object value) throws SQLException {
    if (value == null) {
      statement.setNull(index, Types.NULL);
    } else if (value instanceof Instant instant) {
      statement.setObject(index, instant.atOffset(ZoneOffset.UTC));
    } else if (value instanceof Duration duration) {
      // Intervals cross the wire as seconds: make_interval(secs => :name).
      statement.setDouble(index, duration.toNanos() / 1e9);
    } else if (value instanceof java.sql.Array array) {
      statement.setArray(index, array);
    } else {
      statement.setObject(index, value);
    }
  }

  public Query setTexts(String name, Collection<? extends @Nullable String> values)
      throws SQLException {
    return setArray(name, "text", values.toArray(new String[0]));
  }

  public Query setLongs(String name, Collection<Long> values) throws SQLException {
    return setArray(name, "int8", values.toArray());
  }

  public Query setUuids(String name, Collection<UUID> values) throws SQLException {
    return setArray(name, "uuid", values.toArray());
  }

  /** Sets two arrays of the same length, {@code :aggregateTypes} and {@code :keys}. */
  public Query setKeys(Collection<Key> keys) throws SQLException {
    setTexts("aggregateTypes", keys.stream().map(Key::aggregateType).toList());
    return setTexts("keys", keys.stream().map(Key::id).toList());
  }

  public int update() throws SQLException {
    statement.execute();
    int count = statement.getUpdateCount();
    while (statement.getMoreResults() || statement.getUpdateCount() != -1) {
      count = statement.getUpdateCount();
    }
    return count;
  }

  public <T> List<T> rows(Row<T> mapper) throws SQLException {
    List<T> rows = new ArrayList<>();
    each(row -> rows.add(mapper.map(row)));
    return rows;
  }

  public void each(Reader reader) throws SQLException {
    try (ResultSet results = results()) {
      while (results.next()) {
        reader.read(results);
      }
    }
  }

  public <T> @Nullable T first(Row<T> mapper) throws SQLException {
    try (ResultSet results = results()) {
      return results.next() ? mapper.map(results) : null;
    }
  }

  public boolean any() throws SQLException {
    return first(row -> Boolean.TRUE) != null;
  }

  /**
   * Returns how many rows the next statement changed. Other statements of the query may return
   * rows.
   */
  public int count() throws SQLException {
    next();
    return statement.getUpdateCount();
  }

  /** Moves to the first statement, then to the next. Returns true if it has rows. */
  private boolean next() throws SQLException {
    boolean rows = executed ? statement.getMoreResults() : statement.execute();
    for (int i = 0; !executed && i < settingsResults; i++) {
      rows = statement.getMoreResults();
    }
    executed = true;
    return rows;
  }

  private ResultSet results() throws SQLException {
    if (!next()) {
      throw new IllegalStateException("no rows from " + text);
    }
    return statement.getResultSet();
  }

  @Override
  public void close() throws SQLException {
    statement.close();
  }

  /** Maps a row to an object. */
  @FunctionalInterface
  public interface Row<T> {
    T map(ResultSet row) throws SQLException;
  }

  /** Reads a row. */
  @FunctionalInterface
  public interface Reader {
    void read(ResultSet row) throws SQLException;
  }
}
