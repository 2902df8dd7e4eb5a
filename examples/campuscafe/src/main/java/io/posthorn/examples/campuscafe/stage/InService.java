package io.posthorn.examples.campuscafe.stage;

import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Counts the messages that came again and were dropped because of their receipts. */
@RestController
@Import({PaymentFaults.class, Visitors.class})
class InService implements Observer {
  private final AtomicLong dropped = new AtomicLong();

  @Override
  public void on(Event event) {
    if (event instanceof Event.Repeated repeated) {
      dropped.addAndGet(repeated.messages().size());
    }
  }

  @GetMapping("/stage/duplicates-dropped")
  long dropped() {
    return dropped.get();
  }
}
