package io.posthorn.spring.autoconfigure;

import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** The DataSource that has the outbox's tables. */
record OutboxDataSource(DataSource dataSource) {

  /**
   * Finds the only DataSource, the primary one, or the named one.
   *
   * @param problems receives the reason if none is found; the result is then an arbitrary one, with
   *     which nothing may start
   */
  static OutboxDataSource of(
      PosthornProperties properties, ListableBeanFactory beans, List<String> problems) {
    String name = properties.dataSource();
    DataSource found =
        name == null
            ? beans.getBeanProvider(DataSource.class).getIfUnique()
            : beans.containsBean(name) ? beans.getBean(name, DataSource.class) : null;
    if (found == null) {
      String[] names = beans.getBeanNamesForType(DataSource.class);
      problems.add(
          (name == null
                  ? "posthorn.data-source is missing: there are several DataSources, but none is primary. Name one of "
                  : "posthorn.data-source is '%s', but there is no such bean: name one of "
                      .formatted(name))
              + String.join(", ", names));
      found = beans.getBean(names[0], DataSource.class);
    }
    return new OutboxDataSource(unwrapped(found));
  }

  /** Unwraps as transaction managers do: the proxy would give the relay the caller's connection. */
  private static DataSource unwrapped(DataSource dataSource) {
    return dataSource instanceof TransactionAwareDataSourceProxy proxy
            && proxy.getTargetDataSource() != null
        ? proxy.getTargetDataSource()
        : dataSource;
  }
}
