package io.posthorn.broken.handlers;

import io.posthorn.core.connector.InProcess;
import io.posthorn.core.message.Message;
import io.posthorn.core.relay.Destination;
import io.posthorn.spring.MessageHandler;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.scheduling.annotation.Async;

/** An application whose handlers are all invalid. */
@Configuration
@EnableAutoConfiguration
public class BrokenHandlers {
  static class Unregistered {}

  /** The interface as which a bean is declared. */
  interface Handlers {}

  static class Wrong implements Handlers {
    @MessageHandler(consumer = "")
    void nobody(Message message) {}

    @MessageHandler(consumer = "a", type = "Noted")
    void first(Message message) {}

    @MessageHandler(consumer = "a", type = "Noted")
    void second(Message message) {}

    @MessageHandler(consumer = "b")
    void unregistered(Unregistered event) {}

    @MessageHandler(consumer = "b", type = "Mistyped")
    void mistyped(Message message) {}

    @MessageHandler(consumer = "c", type = "Noted")
    void twoPayloads(Unregistered event, String other) {}

    @MessageHandler(consumer = "d", type = "Noted")
    int returning(Message message) {
      return 1;
    }

    @Async
    @MessageHandler(consumer = "e", type = "Noted")
    void async(Message message) {}

    @MessageHandler(consumer = "f", type = "Noted", source = "nowhere")
    void fromNowhere(Message message) {}

    @MessageHandler(consumer = "g", type = "Noted", attempts = 3, backoff = "soon")
    void threeTimes(Message message) {}

    @MessageHandler(consumer = "g", type = "OrderChanged", attempts = 4)
    void fourTimes(Message message) {}

    @MessageHandler(consumer = "mail", type = "Noted")
    void likeADestination(Message message) {}
  }

  static class Many {
    @MessageHandler(consumer = "h", type = "Noted")
    void ofMany(Message message) {}
  }

  @Bean
  Handlers wrong() {
    return new Wrong();
  }

  @Bean
  @Scope("prototype")
  Many many() {
    return new Many();
  }

  @Bean
  Destination mail() {
    return Destination.named("mail", InProcess.handlers().build()).types("Noted").build();
  }
}
