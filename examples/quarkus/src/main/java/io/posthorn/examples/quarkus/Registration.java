package io.posthorn.examples.quarkus;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Registers users. */
@ApplicationScoped
public class Registration {
  private final DataSource dataSource;
  private final Outbox outbox;

  Registration(DataSource dataSource, Outbox outbox) {
    this.dataSource = dataSource;
    this.outbox = outbox;
  }

  // guide:add
  @Transactional(rollbackOn = SQLException.class)
  public void register(String email) throws SQLException {
    try (Connection tx = dataSource.getConnection()) { // that of the running transaction
      insertUser(tx, email);
      outbox.add(tx, Message.of("UserRegistered").key("user", email).json(json(email)).build());
    }
  }

  // guide:end

  /** Stores and then fails: neither the user nor the mail may remain. */
  @Transactional
  public void registerAndFail(String email) throws SQLException {
    register(email);
    throw new IllegalStateException("something else went wrong");
  }

  /** The mistake that Posthorn notices. */
  public void registerWithoutTransaction(String email) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      outbox.add(connection, Message.of("UserRegistered").key("user", email).build());
    }
  }

  private static void insertUser(Connection tx, String email) throws SQLException {
    try (var insert = tx.prepareStatement("INSERT INTO app_user (email) VALUES (?)")) {
      insert.setString(1, email);
      insert.executeUpdate();
    }
  }

  private static byte[] json(String email) {
    return ("{\"email\":\"" + email + "\"}").getBytes(UTF_8);
  }
}
