package io.posthorn.examples.campuscafe.stage;

import java.net.URI;
import java.util.Arrays;
import java.util.List;

/** The buttons of the page. */
final class PageActions {
  private static final double MOST_PER_SECOND = 50;
  private static final String ANY_DRINK = "espresso";
  private static final List<String> DRINKS = List.of(ANY_DRINK, "latte", "flat white", "matcha");

  private final Show show;

  PageActions(Show show) {
    this.show = show;
  }

  /** Does what the path asks for, and says what was done. */
  String act(URI uri) {
    List<String> path = Arrays.asList(uri.getPath().substring(1).split("/", -1));
    return switch (path.get(0)) {
      case "orders" -> order(value(path));
      case "rate" -> rate(value(path));
      case "faults" -> fault(value(path));
      case "correct" -> correct();
      default -> throw new IllegalArgumentException("there is no button " + path.get(0));
    };
  }

  private static String value(List<String> path) {
    return path.size() == 2 ? path.get(1) : "";
  }

  private String order(String drink) {
    if (!DRINKS.contains(drink)) {
      throw new IllegalArgumentException("the menu has no '%s': %s".formatted(drink, DRINKS));
    }
    show.customers().place(drink, 1);
    return "ordered one " + drink + " in both shops";
  }

  private String rate(String text) {
    if (!text.matches("\\d{1,2}") || Integer.parseInt(text) > MOST_PER_SECOND) {
      throw new IllegalArgumentException(
          "a rate is from 0 to 50 a second, not '%s'".formatted(text));
    }
    show.customers().rate(Integer.parseInt(text));
    return text + " orders a second";
  }

  private String fault(String name) {
    for (Fault fault : Fault.values()) {
      if (fault.name().equals(name)) {
        return show.faults().begin(fault) ? fault.title() : fault.title() + ": already there";
      }
    }
    throw new IllegalArgumentException("there is no fault '%s'".formatted(name));
  }

  private String correct() {
    int corrected = show.books().correctPoisonOrders(ANY_DRINK);
    String text = "corrected 'espreso' and requeued %d dead letters".formatted(corrected);
    show.event(text);
    return text;
  }
}
