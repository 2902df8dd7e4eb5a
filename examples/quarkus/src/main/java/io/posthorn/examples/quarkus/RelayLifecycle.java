package io.posthorn.examples.quarkus;

import io.posthorn.core.connector.InProcess;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Delivers while the application runs. */
// guide:lifecycle
@Singleton
public class RelayLifecycle {
  private @Nullable Relay relay;

  void start(
      @Observes StartupEvent event,
      DataSource dataSource,
      PostgresqlStore store,
      Outbox outbox,
      WelcomeMails mails) {
    new Migrations(Tables.DEFAULT).migrate(dataSource); // or by Flyway
    relay =
        Relay.on(store, "registration", "production")
            .destination(
                Destination.named(
                        "welcome-mail",
                        InProcess.handlers().on("UserRegistered", mails::send).build())
                    .types("UserRegistered")
                    .build())
            .wokenBy(outbox)
            .build()
            .start();
  }

  void stop(@Observes ShutdownEvent event) {
    if (relay != null) {
      relay.close();
    }
  }
}
// guide:end
