package io.posthorn.examples.registration;

import java.util.List;
import java.util.UUID;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class RegistrationController {
  private final Registration registration;
  private final JdbcClient jdbc;

  RegistrationController(Registration registration, JdbcClient jdbc) {
    this.registration = registration;
    this.jdbc = jdbc;
  }

  record NewUser(String name, String email) {}

  record User(UUID id, String name, String email) {}

  /** How far the message of a user has come to one destination. */
  record Delivery(String destination, String state) {}

  @PostMapping("/users")
  @ResponseStatus(HttpStatus.CREATED)
  UUID register(@RequestBody NewUser user) {
    return registration.register(user.name(), user.email());
  }

  @ExceptionHandler(DuplicateKeyException.class)
  @ResponseStatus(HttpStatus.CONFLICT)
  String known() {
    return "this address is registered already";
  }

  @GetMapping("/users")
  List<User> newest() {
    return jdbc.sql("SELECT id, name, email FROM app_user ORDER BY registered_at DESC LIMIT 20")
        .query(User.class)
        .list();
  }

  @GetMapping("/users/{id}/deliveries")
  List<Delivery> deliveries(@PathVariable UUID id) {
    return jdbc.sql(
            """
            SELECT destination, state
              FROM posthorn_message_state
             WHERE aggregate_type = 'user'
               AND key = :id
             ORDER BY destination
            """)
        .param("id", id.toString())
        .query(Delivery.class)
        .list();
  }
}
