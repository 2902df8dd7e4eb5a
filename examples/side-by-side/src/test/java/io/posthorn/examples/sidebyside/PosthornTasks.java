package io.posthorn.examples.sidebyside;

import io.posthorn.core.Posthorn;
import io.posthorn.core.message.MessageKey;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.kafka.KafkaConnector;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The tasks with Posthorn in plain Java. */
final class PosthornTasks {
  private final Users users = new Users();

  // task:publish
  record UserRegistered(@MessageKey("user") String email) {}

  void register(Posthorn posthorn, String email) throws SQLException {
    posthorn.inTransaction(
        tx -> {
          users.insert(tx, email);
          posthorn.add(tx, new UserRegistered(email));
        });
  }

  // task:end

  // task:handle
  Posthorn start(DataSource dataSource, Mails mails) {
    return Posthorn.on(dataSource)
        .environment("production")
        .migrate()
        .handle("mail", UserRegistered.class, (user, handling) -> mails.welcome(user.email()))
        .start();
  }

  // task:end

  // task:route
  void toKafka(Posthorn.Builder posthorn) {
    var kafka = KafkaConnector.to("kafka:9092", "users", "/users");
    posthorn.destination("users", kafka, UserRegistered.class);
  }

  // task:end

  // task:requeue
  void requeue(Posthorn posthorn) {
    posthorn.operations().requeueAll("mail", new Actor("anna", "the server is back"));
  }
  // task:end
}
