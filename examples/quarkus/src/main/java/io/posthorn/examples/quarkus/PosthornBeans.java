package io.posthorn.examples.quarkus;

import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.postgresql.PostgresqlStore;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import javax.sql.DataSource;

/** Posthorn as beans, on the application's DataSource. */
// guide:beans
@Singleton
public class PosthornBeans {
  @Produces
  @Singleton
  PostgresqlStore store(DataSource dataSource) {
    return PostgresqlStore.on(dataSource);
  }

  @Produces
  @Singleton
  Outbox outbox(PostgresqlStore store) {
    return Outbox.on(store, MessageTypes.named("UserRegistered")).build();
  }
}
// guide:end
