package io.posthorn.spring.autoconfigure;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** The DataSource that has the outbox's tables. */
record OutboxDataSource(DataSource dataSource) {

  static OutboxDataSource of(PosthornProperties properties, ListableBeanFactory beans) {
    String name = properties.dataSource();
    DataSource found =
        name == null
            ? beans.getBeanProvider(DataSource.class).getIfUnique()
            : beans.containsBean(name) ? beans.getBean(name, DataSource.class) : null;
    if (found == null) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "Posthorn was not started: %s There are: %s."
              .formatted(
                  name == null
                      ? "there are several DataSources and none is primary. Name the outbox's with posthorn.data-source."
                      : "posthorn.data-source is '%s', and there is no such bean.".formatted(name),
                  String.join(", ", List.of(beans.getBeanNamesForType(DataSource.class)))));
    }
    return new OutboxDataSource(unwrapped(found));
  }

  /** As transaction managers do: such a proxy would give the relay the caller's connection. */
  private static DataSource unwrapped(DataSource dataSource) {
    return dataSource instanceof TransactionAwareDataSourceProxy proxy
            && proxy.getTargetDataSource() != null
        ? proxy.getTargetDataSource()
        : dataSource;
  }
}
