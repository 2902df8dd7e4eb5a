package io.posthorn.examples.quickstart;

import io.posthorn.core.connector.Handler;
import io.posthorn.core.connector.InProcess;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Registers users. Each gets a welcome mail, even if this program dies right after the commit. */
public final class Registration implements AutoCloseable {
  private final DataSource dataSource;
  private final Outbox outbox;
  private final Relay relay;

  public Registration(DataSource dataSource, Handler sendWelcomeMail) {
    this.dataSource = dataSource;
    // readme:setup
    new Migrations(Tables.DEFAULT).migrate(dataSource);
    var store = PostgresqlStore.on(dataSource);
    var outbox = Outbox.on(store, MessageTypes.named("UserRegistered")).build();
    var mail = InProcess.handlers().on("UserRegistered", sendWelcomeMail).build();
    var relay =
        Relay.on(store, "registration", "production")
            .destination(Destination.named("welcome-mail", mail).types("UserRegistered").build())
            .wokenBy(outbox)
            .build()
            .start();
    // readme:end
    this.outbox = outbox;
    this.relay = relay;
  }

  /** Stores the user and the message in one transaction: both, or neither. */
  public void register(String email) throws SQLException {
    try (Connection tx = dataSource.getConnection()) {
      tx.setAutoCommit(false);
      // readme:add
      insertUser(tx, email);
      outbox.add(tx, Message.of("UserRegistered").key("user", email).json(json(email)).build());
      tx.commit();
      // readme:end
    }
    outbox.wake();
  }

  private static void insertUser(Connection tx, String email) throws SQLException {
    try (var insert = tx.prepareStatement("INSERT INTO app_user (email) VALUES (?)")) {
      insert.setString(1, email);
      insert.executeUpdate();
    }
  }

  private static byte[] json(String email) {
    return ("{\"email\":\"" + email + "\"}").getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    relay.close();
  }
}
