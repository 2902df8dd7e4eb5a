package io.posthorn.examples.campuscafe.stage;

import io.posthorn.examples.campuscafe.stage.Shop.Placed;
import io.posthorn.examples.campuscafe.stage.Shop.Steps;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * What came of the orders of one shop.
 *
 * @param committed orders in the shop's own table
 * @param finished of these, paid or cancelled, and the customer was told
 * @param waiting not finished, and placed not long ago
 * @param late not finished, and placed long ago
 * @param ghosts something was reserved, charged or told for an order that does not exist
 * @param doubled orders reserved, charged or told more than once, and requests with two orders
 * @param once finished orders for which nothing was done twice
 */
record ShopFigures(
    int committed, int finished, int waiting, int late, int ghosts, int doubled, int once) {
  static final ShopFigures NONE = new ShopFigures(0, 0, 0, 0, 0, 0, 0);
  private static final Duration LONG = Duration.ofSeconds(30);

  static ShopFigures of(Shop shop, Instant now) {
    int finished = 0;
    int waiting = 0;
    Set<UUID> ends = new HashSet<>();
    Set<UUID> doubled = new HashSet<>();
    Set<UUID> requests = new HashSet<>();
    Set<UUID> known = new HashSet<>();
    List<Steps> services = List.of(shop.reserved(), shop.charged(), shop.notified());
    for (Placed order : shop.orders()) {
      known.add(order.id());
      if (order.isFinal() && shop.notified().of(order.id()) > 0) {
        finished++;
        ends.add(order.id());
      } else if (order.at().isAfter(now.minus(LONG))) {
        waiting++;
      }
      if (!requests.add(order.request())
          || services.stream().anyMatch(each -> each.of(order.id()) > 1)) {
        doubled.add(order.id());
      }
    }
    Set<UUID> ghosts = new HashSet<>();
    services.forEach(each -> ghosts.addAll(each.times().keySet()));
    ghosts.removeAll(known);
    ends.removeAll(doubled);
    int committed = shop.orders().size();
    return new ShopFigures(
        committed,
        finished,
        waiting,
        committed - finished - waiting,
        ghosts.size(),
        doubled.size(),
        ends.size());
  }

  /** Orders that have not come to their end, whenever they were placed. */
  int unfinished() {
    return committed - finished;
  }
}
