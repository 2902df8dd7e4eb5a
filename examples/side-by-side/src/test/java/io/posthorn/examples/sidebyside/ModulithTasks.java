package io.posthorn.examples.sidebyside;

import java.time.Duration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.Externalized;
import org.springframework.modulith.events.FailedEventPublications;
import org.springframework.modulith.events.ResubmissionOptions;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** The tasks with Spring Modulith. */
final class ModulithTasks {
  private ModulithTasks() {}

  @Component
  static class Registration {
    private final Users users = new Users();
    private final ApplicationEventPublisher events;

    Registration(ApplicationEventPublisher events) {
      this.events = events;
    }

    // task:publish
    record UserRegistered(String email) {}

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
  @EnableScheduling
  static class WelcomeMail {
    private final Mails mails;
    private final FailedEventPublications failed;

    WelcomeMail(Mails mails, FailedEventPublications failed) {
      this.mails = mails;
      this.failed = failed;
    }

    // task:handle
    @ApplicationModuleListener
    void welcome(Registration.UserRegistered user) {
      mails.welcome(user.email());
    }

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
