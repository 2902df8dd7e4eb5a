package io.posthorn.examples.quickstart;

import io.posthorn.core.Posthorn;
import io.posthorn.core.bus.EventHandler;
import io.posthorn.core.message.MessageKey;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Registers users. Each gets a welcome mail, even if this program dies right after the commit. */
public final class Registration implements AutoCloseable {
  // readme:event
  record UserRegistered(@MessageKey("user") String email) {}

  // readme:end

  private final Posthorn posthorn;

  public Registration(DataSource dataSource, EventHandler<UserRegistered> sendWelcomeMail) {
    // readme:start
    Posthorn posthorn =
        Posthorn.on(dataSource)
            .environment("production")
            .migrate()
            .handle("welcome-mail", UserRegistered.class, sendWelcomeMail)
            .start();
    // readme:end
    this.posthorn = posthorn;
  }

  /** Stores the user and the event in one transaction: both, or neither. */
  public void register(String email) throws SQLException {
    // readme:add
    posthorn.inTransaction(
        tx -> {
          insertUser(tx, email);
          posthorn.add(tx, new UserRegistered(email));
        });
    // readme:end
  }

  /** The shortest transaction: it only adds an event. */
  void welcomeAda() throws SQLException {
    // readme:hello
    posthorn.inTransaction(tx -> posthorn.add(tx, new UserRegistered("ada@example.org")));
    // readme:end
  }

  private static void insertUser(Connection tx, String email) throws SQLException {
    try (var insert = tx.prepareStatement("INSERT INTO app_user (email) VALUES (?)")) {
      insert.setString(1, email);
      insert.executeUpdate();
    }
  }

  @Override
  public void close() {
    posthorn.close();
  }
}
