package io.posthorn.examples.registration;

import io.posthorn.testservers.FaultProxy;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.test.context.TestComponent;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Buttons to stop servers; only where somebody tries the application, not in its tests. */
@TestComponent
@RestController
class Servers {
  private final Map<String, FaultProxy> roads =
      Map.of(
          "mail", TryRegistration.OUTSIDE.roadToMails(),
          "kafka", TryRegistration.OUTSIDE.roadToKafka());
  private final Map<String, Boolean> up = new TreeMap<>(Map.of("mail", true, "kafka", true));

  @GetMapping("/servers")
  synchronized Map<String, Boolean> servers() {
    return Map.copyOf(up);
  }

  @PutMapping("/servers/{name}")
  synchronized void set(@PathVariable String name, @RequestParam boolean up) {
    if (up) {
      roads.get(name).pass();
    } else {
      roads.get(name).reset();
    }
    this.up.put(name, up);
  }

  @EventListener
  void started(WebServerInitializedEvent event) {
    System.out.printf("Look at http://127.0.0.1:%d/%n", event.getWebServer().getPort());
  }
}
