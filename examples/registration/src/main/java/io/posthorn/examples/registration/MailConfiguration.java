package io.posthorn.examples.registration;

import io.posthorn.core.connector.InProcess;
import io.posthorn.core.relay.Destination;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The other destination, the bus, is in application.yml. Each has a cursor of its own. */
@Configuration
class MailConfiguration {
  @Bean
  InProcess mails(WelcomeMail mail) {
    return InProcess.handlers()
        .on("UserRegistered", mail::send)
        .classifier(MailFailures.CLASSIFIER)
        .threads(4)
        .build();
  }

  @Bean
  Destination mailDestination(InProcess mails) {
    return Destination.named("welcome-mail", mails).types("UserRegistered").build();
  }
}
