package io.posthorn.examples.campuscafe.stage;

/** What a visitor can break. Each fault does the same to both shops, and ends by itself. */
enum Fault {
  STOCK_DOWN(
      "Stop the stock service",
      12,
      "Nobody takes cups from the stock for 12 seconds.",
      "New orders stay at their first step, and all go on when the service is back."),
  KILL_RELAY(
      "kill -9 the order service",
      8,
      "The service that takes orders, and the relay in it, dies in the middle of its work. The other shop dies at the same moment.",
      "Another start takes over what the dead relay held, within its lease of 10 seconds. In the other shop, what was only in memory is gone."),
  BROKER_DOWN(
      "Cut off the broker",
      12,
      "Nobody reaches Kafka for 12 seconds.",
      "Messages wait in the outbox; no attempt is counted, and none dies."),
  SLOW_PAYMENT(
      "Slow payment",
      12,
      "The payment service charges, and answers only after 3 seconds: later than its callers wait.",
      "Both shops ask again. The receipt recognises the repeated webhook. The other shop charges again."),
  PAYMENT_FAILS(
      "Payment answers 500",
      12,
      "The payment service answers every request with an error.",
      "The destination waits, and goes on when payments work again. The other shop gives up after ten tries."),
  POISON_ORDER(
      "Order an 'espreso'",
      4,
      "One order names a drink that no menu has. The stock service can never handle it.",
      "It becomes a dead letter, complete with its reason. Correct the drink and requeue it. The other shop logs an error and forgets the order."),
  KILL_DATABASE(
      "kill -9 the database",
      10,
      "PostgreSQL dies, with all transactions that are running, and comes back after a few seconds.",
      "An order is there with its messages, or not at all. In the other shop, messages of orders that were rolled back are already on their way: ghosts."),
  DUPLICATES(
      "Deliver twice",
      4,
      "The broker repeats the last messages of every topic.",
      "Receipts drop the copies. In the other shop, they take cups and tell customers again."),
  IMPATIENT_CLIENTS(
      "Impatient customers",
      10,
      "Customers do not wait for the answer, and send each order a second time, with the same id.",
      "The receipt of the request makes one order of two requests. The other shop makes two."),
  FREEZE_RELAY(
      "Freeze the order service",
      15,
      "The process stops for 15 seconds in the middle of its work, as in a long garbage collection, and then goes on as if nothing had happened.",
      "Its lease ends meanwhile, so it may not go on with what it held.");

  private final String title;
  private final int seconds;
  private final String effect;
  private final String look;

  Fault(String title, int seconds, String effect, String look) {
    this.title = title;
    this.seconds = seconds;
    this.effect = effect;
    this.look = look;
  }

  String title() {
    return title;
  }

  int seconds() {
    return seconds;
  }

  /** What happens. */
  String effect() {
    return effect;
  }

  /** What to look at. */
  String look() {
    return look;
  }
}
