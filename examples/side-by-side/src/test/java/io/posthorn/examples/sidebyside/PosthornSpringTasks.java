package io.posthorn.examples.sidebyside;

import io.posthorn.core.message.MessageKey;
import io.posthorn.spring.MessageHandler;
import io.posthorn.spring.TransactionalOutbox;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** The tasks with Posthorn in Spring Boot. */
@Component
class PosthornSpringTasks {
  private final Users users = new Users();
  private final Mails mails;

  PosthornSpringTasks(Mails mails) {
    this.mails = mails;
  }

  // task:publish
  record UserRegistered(@MessageKey("user") String email) {}

  @Autowired TransactionalOutbox outbox;

  @Transactional
  public void register(String email) {
    users.insert(email);
    outbox.add(new UserRegistered(email));
  }

  // task:end

  // task:handle
  @MessageHandler(consumer = "mail")
  void welcome(UserRegistered user) {
    mails.welcome(user.email());
  }
  // task:end
}
