package io.posthorn.examples.sidebyside;

import java.sql.Connection;
import java.sql.SQLException;

/** The application's table of users. */
class Users {
  void insert(Connection tx, String email) throws SQLException {
    try (var insert = tx.prepareStatement("INSERT INTO app_user (email) VALUES (?)")) {
      insert.setString(1, email);
      insert.executeUpdate();
    }
  }

  /** In a Spring application, which keeps the connection to itself. */
  void insert(String email) {
    throw new UnsupportedOperationException("only compiled: " + email);
  }
}
