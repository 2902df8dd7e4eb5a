package io.posthorn.core;

import javax.sql.DataSource;

/**
 * Creates the stores of one kind of database; {@link Posthorn#on(DataSource)} finds it as a
 * service.
 */
public interface StoreProvider {
  /**
   * Whether the stores work with this database.
   *
   * @param product the name that its driver reports, for example {@code PostgreSQL}
   */
  boolean supports(String product);

  /** Returns a store on the tables with their default names. */
  DatabaseStore on(DataSource dataSource);
}
