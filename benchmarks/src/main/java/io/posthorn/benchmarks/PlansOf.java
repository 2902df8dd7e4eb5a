package io.posthorn.benchmarks;

import io.posthorn.core.operate.OperatorStore;
import io.posthorn.postgresql.PostgresqlStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The plans of the statements that a query of a page runs, as the server executes them. */
final class PlansOf {
  /** Every statement begins with its name. Only settings that belong to it precede the name. */
  private static final String NAME = "/* posthorn: ";

  private final Database database;
  private final List<String> statements = new ArrayList<>();

  PlansOf(Database database) {
    this.database = database;
  }

  String question(Consumer<OperatorStore> question) {
    statements.clear();
    // In this mode the driver prints a prepared statement with all of its values.
    Database printed = Database.at(database.url() + "&preferQueryMode=simple");
    question.accept(PostgresqlStore.on(recorded(DataSource.class, printed.dataSource())));
    StringBuilder plans = new StringBuilder();
    // Leaves out the statements that only ask the planner for an estimate.
    statements.stream()
        .filter(statement -> !statement.contains("*/ EXPLAIN"))
        .forEach(statement -> plans.append(explain(statement)).append('\n'));
    return plans.toString();
  }

  private String explain(String statement) {
    int begin = statement.indexOf(NAME);
    StringBuilder plan = new StringBuilder();
    try (Connection connection = database.dataSource().getConnection();
        Statement explain = connection.createStatement()) {
      connection.setAutoCommit(false);
      if (begin > 0) {
        explain.execute(statement.substring(0, begin));
      }
      String text = statement.substring(Math.max(0, begin));
      plan.append(text, 0, text.indexOf("*/") + 2).append('\n');
      try (ResultSet lines = explain.executeQuery("EXPLAIN (ANALYZE, COSTS off) " + text)) {
        while (lines.next()) {
          plan.append(lines.getString(1)).append('\n');
        }
      }
      connection.rollback();
    } catch (SQLException e) {
      throw new BenchException(statement, e);
    }
    return plan.toString();
  }

  private <T> T recorded(Class<T> type, Object target) {
    return type.cast(
        Proxy.newProxyInstance(
            PlansOf.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (target instanceof PreparedStatement && method.getName().startsWith("execute")) {
                statements.add(target.toString());
              }
              try {
                return wrap(method.invoke(target, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private @Nullable Object wrap(@Nullable Object result) {
    if (result instanceof Connection connection) {
      return recorded(Connection.class, connection);
    } else if (result instanceof PreparedStatement statement) {
      return recorded(PreparedStatement.class, statement);
    }
    return result;
  }
}
