package io.posthorn.console;

import io.posthorn.api.access.OperatedDatabase;

/** The console with a bad day's data, to look at while one works on it. */
final class Preview {
  private Preview() {}

  public static void main(String[] args) throws InterruptedException {
    Shop shop = Shop.open();
    new Day(shop).bad();
    Shop empty = Shop.open();
    TestConsole console =
        TestConsole.over(
            Integer.parseInt(args[0]),
            OperatedDatabase.of("shop", "production", shop.store()),
            OperatedDatabase.of("empty", "staging", empty.store()));
    System.out.println(console.url() + "/shop");
    for (int i = 0; ; i++) {
      Thread.sleep(250);
      new Day(shop).order("o-" + (9000 + i));
    }
  }
}
