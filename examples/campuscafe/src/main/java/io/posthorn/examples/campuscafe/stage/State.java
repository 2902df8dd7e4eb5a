package io.posthorn.examples.campuscafe.stage;

import io.posthorn.examples.campuscafe.stage.Shop.Placed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the page shows, as JSON. */
final class State {
  private static final int ORDERS = 10;

  private State() {}

  static Map<String, Object> of(Show show) {
    Show.Scene scene = show.scene();
    Map<String, Object> state = new LinkedHashMap<>();
    state.put("rate", show.customers().rate());
    state.put("ageMillis", Math.min(show.age().toMillis(), Duration.ofHours(1).toMillis()));
    state.put("quietMillis", show.faults().quiet().toMillis());
    state.put("posthorn", shop(scene.posthorn(), scene.posthornFigures()));
    state.put("dualWrite", shop(scene.dualWrite(), scene.dualWriteFigures()));
    state.put("duplicatesDropped", scene.duplicatesDropped());
    state.put("letters", scene.letters());
    state.put("mails", show.cafe().mail().getReceivedMessages().length);
    state.put("services", show.cafe().services().stream().map(State::service).toList());
    state.put("faults", faults(show));
    state.put("events", show.events());
    return state;
  }

  private static Map<String, Object> shop(Shop shop, ShopFigures figures) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("figures", figures);
    List<Map<String, Object>> orders = new ArrayList<>();
    for (Placed order : shop.orders().subList(0, Math.min(ORDERS, shop.orders().size()))) {
      orders.add(order(shop, order));
    }
    json.put("orders", orders);
    return json;
  }

  private static Map<String, Object> order(Shop shop, Placed order) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", order.id());
    json.put("drink", order.drink());
    json.put("cups", order.cups());
    json.put("status", order.status());
    json.put("ageMillis", Duration.between(order.at(), Instant.now()).toMillis());
    json.put("stock", shop.reserved().of(order.id()));
    json.put("payment", shop.charged().of(order.id()));
    json.put("notification", shop.notified().of(order.id()));
    return json;
  }

  private static Map<String, Object> service(ServiceProcess service) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", service.name());
    json.put("state", service.state());
    json.put("pid", service.pid());
    json.put("port", service.port());
    return json;
  }

  private static List<Map<String, Object>> faults(Show show) {
    Map<Fault, Long> running = show.faults().running();
    List<Map<String, Object>> faults = new ArrayList<>();
    for (Fault fault : Fault.values()) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("name", fault);
      json.put("title", fault.title());
      json.put("effect", fault.effect());
      json.put("look", fault.look());
      json.put("left", running.getOrDefault(fault, 0L));
      faults.add(json);
    }
    return faults;
  }
}
