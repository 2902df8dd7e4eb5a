package io.posthorn.spring.handler;

import java.beans.PropertyDescriptor;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ReflectionUtils;

/** Finds the transaction manager of the outbox's DataSource, in whose transactions handlers run. */
public final class HandlerManager {
  private HandlerManager() {}

  /**
   * Returns the only one, or the primary one.
   *
   * @param problems receives the reason if there is none
   */
  public static @Nullable PlatformTransactionManager of(
      DataSource dataSource,
      ObjectProvider<PlatformTransactionManager> managers,
      List<String> problems) {
    List<PlatformTransactionManager> found =
        managers.stream().filter(manager -> dataSourceOf(manager) == dataSource).toList();
    if (found.size() == 1) {
      return found.get(0);
    }
    PlatformTransactionManager primary = managers.getIfUnique();
    if (primary != null && found.contains(primary)) {
      return primary;
    }
    problems.add(
        found.isEmpty()
            ? "there are @MessageHandler methods, but no transaction manager of the outbox's DataSource to call them in: declare one (JDBC or JPA)"
            : "there are @MessageHandler methods, but several transaction managers of the outbox's DataSource: mark one of them @Primary");
    return null;
  }

  /** The managers of JDBC, JPA and Hibernate have no common interface, only this property. */
  private static @Nullable Object dataSourceOf(PlatformTransactionManager manager) {
    PropertyDescriptor property = BeanUtils.getPropertyDescriptor(manager.getClass(), "dataSource");
    return property == null || property.getReadMethod() == null
        ? null
        : ReflectionUtils.invokeMethod(property.getReadMethod(), manager);
  }
}
