package io.posthorn.broken;

import io.posthorn.core.connector.InProcess;
import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.OutboxMessage;
import io.posthorn.core.relay.Destination;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with only mistakes, in a package that no other application scans for events. */
@Configuration
@EnableAutoConfiguration
public class BrokenEvents {
  @OutboxMessage
  record TwoKeys(@MessageKey("order") String order, @MessageKey("customer") String customer) {}

  @OutboxMessage
  static class KeyWithParameter {
    @MessageKey("order")
    String order(String prefix) {
      return prefix + "1";
    }
  }

  @Bean
  Destination mail() {
    return Destination.named("mail", InProcess.handlers().build()).types("Noted").build();
  }
}
