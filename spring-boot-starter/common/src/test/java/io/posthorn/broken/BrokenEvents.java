package io.posthorn.broken;

import io.posthorn.core.connector.InProcess;
import io.posthorn.core.relay.Destination;
import io.posthorn.spring.OutboxMessage;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with only mistakes, in a package that no other application scans for events. */
@Configuration
@EnableAutoConfiguration
public class BrokenEvents {
  @OutboxMessage(type = "NoAggregate", key = "id")
  record NoAggregate(String id) {}

  @OutboxMessage(type = "NoSuchKey", aggregate = "order", key = "nothing")
  record NoSuchKey(String id) {}

  @Bean
  Destination mail() {
    return Destination.named("mail", InProcess.handlers().build()).types("Noted").build();
  }
}
