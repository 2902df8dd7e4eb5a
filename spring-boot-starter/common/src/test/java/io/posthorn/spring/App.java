package io.posthorn.spring;

import io.posthorn.testservers.EmbeddedPostgres;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** A Spring Boot application with an outbox, in its own database. */
final class App implements AutoCloseable {
  private final ConfigurableApplicationContext context;
  private final JdbcClient elsewhere;

  private App(ConfigurableApplicationContext context, String url) {
    this.context = context;
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(url);
    this.elsewhere = JdbcClient.create(dataSource);
  }

  static App start(Class<?> configuration, String... properties) {
    return start(freshDatabase(), configuration, properties);
  }

  static App start(String url, Class<?> configuration, String... properties) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "spring.datasource.url=" + url,
                "spring.jpa.hibernate.ddl-auto=none",
                "spring.main.banner-mode=off",
                "spring.main.web-application-type=none",
                "spring.flyway.enabled=false",
                "spring.liquibase.enabled=false",
                "spring.application.name=shop",
                "posthorn.environment=test",
                "posthorn.migrate=true",
                "posthorn.types=Noted,OrderChanged"));
    all.addAll(List.of(properties));
    return new App(
        new SpringApplicationBuilder(configuration)
            .properties(all.toArray(String[]::new))
            .logStartupInfo(false)
            .registerShutdownHook(false)
            .run(),
        url);
  }

  /** Creates a database with a table of orders, but without Posthorn's tables. */
  static String freshDatabase() {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    String name = postgres.freshDatabase();
    JdbcClient.create(postgres.dataSource(name))
        .sql("CREATE TABLE orders (id text PRIMARY KEY, total int NOT NULL CHECK (total >= 0))")
        .update();
    return postgres.jdbcUrl(name);
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  <T> T bean(String name, Class<T> type) {
    return context.getBean(name, type);
  }

  TransactionalOutbox outbox() {
    return bean(TransactionalOutbox.class);
  }

  JdbcClient jdbc() {
    return bean(JdbcClient.class);
  }

  ConfigurableApplicationContext context() {
    return context;
  }

  void inTransaction(Consumer<TransactionStatus> work) {
    inTransaction(TransactionTemplate.PROPAGATION_REQUIRED, work);
  }

  void inTransaction(int propagation, Consumer<TransactionStatus> work) {
    TransactionTemplate template = new TransactionTemplate(bean(PlatformTransactionManager.class));
    template.setPropagationBehavior(propagation);
    template.executeWithoutResult(work);
  }

  /** Returns the committed payloads in the order of the log, as another connection sees them. */
  List<String> logged() {
    return elsewhere
        .sql("SELECT convert_from(payload, 'UTF8') FROM posthorn_log ORDER BY seq")
        .query(String.class)
        .list();
  }

  @Override
  public void close() {
    context.close();
  }
}
