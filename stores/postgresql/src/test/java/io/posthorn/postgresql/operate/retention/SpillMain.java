package io.posthorn.postgresql.operate.retention;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.postgresql.PostgresqlStore;
import org.postgresql.ds.PGSimpleDataSource;

/** Spills destination shop in its own process, which can be killed. */
final class SpillMain {
  private SpillMain() {}

  public static void main(String[] args) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(args[0]);
    PostgresqlStore store = PostgresqlStore.on(dataSource);
    System.out.println("spilling");
    System.out.println("spilled " + store.spill("shop", new Actor("main", "a test")));
  }
}
