package io.posthorn.examples.catalogue;

import io.posthorn.examples.catalogue.products.Catalogue;
import java.math.BigDecimal;
import org.springframework.boot.test.context.TestComponent;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;

/** A few products; only where somebody tries the application, not in its tests. */
@TestComponent
class FirstProducts {
  private final Catalogue catalogue;

  FirstProducts(Catalogue catalogue) {
    this.catalogue = catalogue;
  }

  @EventListener
  void started(WebServerInitializedEvent event) {
    catalogue.put("beans", "Coffee beans, 1 kg", new BigDecimal("18.90"));
    catalogue.put("cup", "Cup", new BigDecimal("7.50"));
    catalogue.put("filter", "Filter papers, 100", new BigDecimal("3.20"));
    System.out.printf("Look at http://127.0.0.1:%d/%n", event.getWebServer().getPort());
  }
}
