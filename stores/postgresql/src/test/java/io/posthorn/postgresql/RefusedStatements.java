package io.posthorn.postgresql;

import io.posthorn.testkit.Around;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Connections on which the database refuses statements by their names: always, or if they name one
 * of the given values. The server itself raises the error, so the transaction is aborted as usual.
 */
final class RefusedStatements {
  private static final Pattern NAME = Pattern.compile("/\\* posthorn: (.*?) \\*/");

  private final String state;
  private final Set<String> always = ConcurrentHashMap.newKeySet();
  private final Map<String, Set<String>> withValues = new ConcurrentHashMap<>();
  private final Set<String> refused = ConcurrentHashMap.newKeySet();
  private final Set<String> underLaneLock = ConcurrentHashMap.newKeySet();

  RefusedStatements(String state) {
    this.state = state;
  }

  /** Refuses this statement in each transaction that has locked the lane of "shop". */
  RefusedStatements always(String name) {
    always.add(name);
    return this;
  }

  /** Refuses this statement if one of its parameters is, or has as an element, such a value. */
  RefusedStatements with(String name, Set<String> values) {
    withValues.put(name, values);
    return this;
  }

  void endAll() {
    always.clear();
    withValues.clear();
  }

  /** The names of the statements that were refused. */
  Set<String> refused() {
    return Set.copyOf(refused);
  }

  /** The names of all statements of transactions that locked the lane of "shop". */
  Set<String> underLaneLock() {
    return Set.copyOf(underLaneLock);
  }

  DataSource on(DataSource real) {
    return Around.calls(
        DataSource.class,
        real,
        (name, call) ->
            name.equals("getConnection")
                ? connection((Connection) call.proceed())
                : call.proceed());
  }

  private Connection connection(Connection real) {
    Set<String> transaction = new HashSet<>();
    return Around.calls(
        Connection.class,
        real,
        (name, call) ->
            switch (name) {
              case "prepareStatement" ->
                  statement(
                      real,
                      (PreparedStatement) call.proceed(),
                      names(call.argument(0).toString()),
                      transaction);
              case "commit", "close" -> {
                transaction.clear();
                yield call.proceed();
              }
              default -> call.proceed();
            });
  }

  private static List<String> names(String sql) {
    return NAME.matcher(sql).results().map(found -> found.group(1)).toList();
  }

  private PreparedStatement statement(
      Connection connection, PreparedStatement real, List<String> names, Set<String> transaction) {
    Map<Object, String> parameters = new HashMap<>();
    return Around.calls(
        PreparedStatement.class,
        real,
        (name, call) -> {
          if (name.equals("setObject") || name.equals("setArray")) {
            parameters.put(call.argument(0), call.argument(1).toString());
          } else if (name.equals("execute")) {
            List<String> values = values(parameters);
            if (locksTheLane(names, values)) {
              transaction.add("shop");
            }
            refuse(connection, names, values, !transaction.isEmpty());
          }
          return call.proceed();
        });
  }

  private static boolean locksTheLane(List<String> names, List<String> values) {
    return names.contains("lock lane") && values.contains("shop");
  }

  private void refuse(
      Connection connection, List<String> names, List<String> values, boolean underLock)
      throws SQLException {
    for (String name : names) {
      if (underLock) {
        underLaneLock.add(name);
      }
      boolean named = withValues.getOrDefault(name, Set.of()).stream().anyMatch(values::contains);
      if (named || (underLock && always.contains(name))) {
        refused.add(name);
        try (Statement statement = connection.createStatement()) {
          statement.execute(
              "DO $$ BEGIN RAISE EXCEPTION 'refused by a test' USING ERRCODE = '%s'; END $$"
                  .formatted(state));
        }
      }
    }
  }

  private static List<String> values(Map<Object, String> parameters) {
    return parameters.values().stream()
        .flatMap(value -> Arrays.stream(value.split("[{},\"]")))
        .collect(Collectors.toCollection(ArrayList::new));
  }
}
