package io.posthorn.console;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.steering.Scope;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;

/** A bad day in the shop: what the pages are shown with. */
final class Day {
  private static final String ORDER =
      """
      {"orderId":"%s","customer":{"id":4711,"name":"Zoë Łukasiewicz","taxId":null},"lines":[{"sku":"A-113","quantity":2,"price":"19.90"},{"sku":"B-204","quantity":1,"price":"249.00"}],"total":"288.80","currency":"EUR"}""";

  private final Shop shop;

  Day(Shop shop) {
    this.shop = shop;
  }

  /** Everything runs. */
  void quiet() {
    for (int i = 0; i < 40; i++) {
      order("o-" + (1000 + i));
    }
    awaitNoPending();
  }

  /** Billing is down, search is paused, the partner rejects, loyalty holds keys. */
  void bad() {
    quiet();
    shop.receiver(
        "partner",
        one ->
            one.type().equals("OrderPlaced")
                ? rejected(one.key() == null ? "" : one.key().id())
                : Outcome.SENT);
    for (int i = 0; i < 38; i++) {
      order("o-" + (2000 + i));
    }
    shop.receiver(
        "mail",
        one ->
            one.type().equals("CartAbandoned") ? Outcome.failedByMessage(thrown()) : Outcome.SENT);
    for (int i = 0; i < 9; i++) {
      shop.write("CartAbandoned", "Cart", "c-" + i, "{\"cart\":\"c-%d\"}".formatted(i));
    }
    shop.receiver(
        "loyalty",
        one ->
            one.type().equals("LoyaltyPointsEarned")
                    && one.key() != null
                    && one.key().id().endsWith("7")
                ? Outcome.rejected(
                    Reason.of("SCHEMA_MISMATCH", "at /points: expected an integer, found \"many\""))
                : one.type().equals("LoyaltyCardIssued")
                    ? Outcome.failedByMessage(Reason.of("TIMEOUT", "no answer within 5 s"))
                    : Outcome.SENT);
    for (int i = 0; i < 10; i++) {
      shop.write("LoyaltyPointsEarned", "Customer", "k-" + i, "{\"points\":\"many\"}");
      shop.write("LoyaltyPointsEarned", "Customer", "k-" + i, "{\"points\":12}");
    }
    for (int i = 0; i < 6; i++) {
      shop.write("LoyaltyCardIssued", "Card", "card-" + i, "{\"card\":%d}".formatted(i));
    }
    awaitNoPending();
    history();
    shop.steering().pause(Scope.destination("search"), Shop.ANA);
    shop.isDown("billing");
    for (int i = 0; i < 60; i++) {
      order("o-" + (3000 + i));
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                shop.steering().destinations().stream()
                    .anyMatch(one -> one.name().equals("billing") && one.breaker() != null));
    rescues();
    shop.sql(
        "UPDATE posthorn_log SET recorded_at = recorded_at - interval '4 minutes 10 seconds' WHERE recorded_at > now() - interval '1 minute' AND key LIKE 'o-30%'");
  }

  private static Outcome rejected(String key) {
    return key.endsWith("9")
        ? Outcome.rejected(
            Reason.of("HTTP_413", "POST https://partner.example/v2/orders: 413 Content Too Large"))
        : Outcome.rejected(
            Reason.of(
                "HTTP_422",
                "POST https://partner.example/v2/orders: 422 tax id missing for customer \"4711\""));
  }

  private static Reason thrown() {
    try {
      render(null);
      return Reason.of("UNKNOWN", "");
    } catch (RuntimeException e) {
      return Reason.of("IllegalStateException", e);
    }
  }

  private static void render(Object template) {
    if (template == null) {
      throw new IllegalStateException("no template 'cart-reminder' for locale 'pl_PL'");
    }
  }

  /** Some letters are older, and some causes have notes. */
  private void history() {
    shop.sql(
        """
        UPDATE posthorn_dead
           SET created_at = created_at - (abs(hashtext(id::text)) % 9) * interval '26 hours',
               first_failed_at = first_failed_at - (abs(hashtext(id::text)) % 9) * interval '26 hours',
               last_failed_at = last_failed_at - (abs(hashtext(id::text)) % 9) * interval '26 hours'
         WHERE destination = 'partner'""");
    DeadLetters letters = DeadLetters.on(shop.store());
    String cause =
        letters
            .causes(DeadLetterQuery.builder().reason("HTTP_422").build(), 1)
            .get(0)
            .fingerprint();
    letters.note(
        cause,
        "The tax id became mandatory with the partner's version 2. Ticket 812: add it from the customer.",
        "team-billing",
        new Actor("rui", "found the cause"));
  }

  private void rescues() {
    DeadLetters letters = DeadLetters.on(shop.store());
    shop.works("partner");
    List<java.util.UUID> first =
        letters.list(DeadLetterQuery.builder().destination("partner").build(), null, 6).stream()
            .map(one -> one.id())
            .toList();
    letters.requeue(
        first.subList(0, 4), Requeue.SAME, new Actor("rui", "the partner has fixed it for these"));
    letters.discard(first.subList(4, 5), new Actor("rui", "a test order"));
    Operations operations = Operations.on(shop.store());
    operations.start(
        Plan.requeue(DeadLetterQuery.builder().reason("HTTP_413").build()).withRate(50.0),
        new Actor("rui", "the limit is 10 MB now"));
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                operations.list(1).get(0).underWay() == 0 && operations.list(1).get(0).done() > 0);
  }

  void order(String id) {
    String correlation = "req-" + id;
    shop.write(
        "OrderPlaced",
        "Order",
        id,
        ORDER.formatted(id),
        "correlation-id",
        correlation,
        "source",
        "shop 2.14.0",
        "traceparent",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    shop.write(
        "OrderPaid",
        "Order",
        id,
        "{\"orderId\":\"%s\",\"method\":\"card\"}".formatted(id),
        "correlation-id",
        correlation,
        "source",
        "shop 2.14.0");
  }

  private void awaitNoPending() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                shop.store().status().destinations().stream().allMatch(one -> one.pending() == 0));
  }
}
