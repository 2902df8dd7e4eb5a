package io.posthorn.examples.registration;

import io.posthorn.spring.TransactionalOutbox;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Registration {
  private final JdbcClient jdbc;
  private final TransactionalOutbox outbox;

  Registration(JdbcClient jdbc, TransactionalOutbox outbox) {
    this.jdbc = jdbc;
    this.outbox = outbox;
  }

  /** The user and the message are committed together. Nobody else is asked while the user waits. */
  @Transactional
  public UUID register(String name, String email) {
    UUID id = UUID.randomUUID();
    jdbc.sql("INSERT INTO app_user (id, name, email) VALUES (:id, :name, :email)")
        .param("id", id)
        .param("name", name)
        .param("email", email)
        .update();
    outbox.add(new UserRegistered(id, name, email));
    return id;
  }
}
