package io.posthorn.examples.sidebyside;

import java.time.Duration;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.Externalized;
import org.springframework.modulith.events.FailedEventPublications;
import org.springframework.modulith.events.ResubmissionOptions;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** The tasks with Spring Modulith. */
final class ModulithTasks {
  private ModulithTasks() {}

  @Component
  static class Registration {
    private final Users users = new Users();

    // task:publish
    record UserRegistered(String email) {}

    @Autowired ApplicationEventPublisher events;

    @Transactional
    public void register(String email) {
      users.insert(email);
      events.publishEvent(new UserRegistered(email));
    }

    // task:end

    // task:route
    @Externalized("users::#{#this.email()}")
    record UserRegisteredForOthers(String email) {}
    // task:end
  }

  @Component
  static class WelcomeMail {
    private final Mails mails;

    WelcomeMail(Mails mails) {
      this.mails = mails;
    }

    // task:handle
    @ApplicationModuleListener
    void welcome(Registration.UserRegistered user) {
      mails.welcome(user.email());
    }

    @Autowired FailedEventPublications failed;

    @Scheduled(fixedDelay = 10_000)
    void retry() {
      failed.resubmit(
          ResubmissionOptions.defaults()
              .withMinAge(Duration.ofSeconds(10))
              .withFilter(publication -> publication.getCompletionAttempts() < 10));
    }

    // task:end

    // task:requeue
    void requeue() {
      failed.resubmit(
          ResubmissionOptions.defaults()
              .withFilter(
                  publication -> publication.getEvent() instanceof Registration.UserRegistered));
    }
    // task:end
  }
}
