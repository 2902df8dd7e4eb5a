package io.posthorn.examples.campuscafe.stage;

import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Stops single services of the shop that has all of them in one process. */
@RestController
@Import(PaymentFaults.class)
class InDualWrite {
  private final KafkaListenerEndpointRegistry listeners;

  InDualWrite(KafkaListenerEndpointRegistry listeners) {
    this.listeners = listeners;
  }

  @PutMapping("/stage/listeners/{id}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void set(@PathVariable String id, @RequestParam boolean up) {
    MessageListenerContainer listener = listeners.getListenerContainer(id);
    if (listener == null) {
      throw new IllegalArgumentException("there is no listener " + id);
    }
    if (up) {
      listener.start();
    } else {
      listener.stop();
    }
  }
}
