package io.posthorn.console;

import com.microsoft.playwright.Page;
import io.posthorn.api.access.Role;
import java.nio.file.Path;

/** Pictures of pages of a running {@link Preview}: FOLDER URL LOOKS PATH... */
final class Shots {
  private Shots() {}

  public static void main(String[] args) {
    try (Browser browser = new Browser()) {
      for (String look : args[2].split(",")) {
        Role role = look.startsWith("v") ? Role.VIEWER : Role.ADMIN;
        Browser.Look one =
            switch (look.replace("v", "")) {
              case "l" -> Browser.Look.LIGHT;
              case "d" -> Browser.Look.DARK;
              default -> Browser.Look.PHONE;
            };
        Page page = browser.tab(one, role, args[1]);
        page.onConsoleMessage(
            message -> {
              if (message.type().equals("error")) {
                System.out.println("CONSOLE " + message.text());
              }
            });
        page.onPageError(error -> System.out.println("ERROR " + error));
        for (int i = 3; i < args.length; i++) {
          String path = args[i];
          page.navigate(args[1] + path);
          page.waitForTimeout(path.contains("doctor") ? 4000 : 800);
          String name = path.replaceAll("[^a-zA-Z0-9]+", "-").replaceAll("^-|-$", "");
          Browser.shot(
              page,
              Path.of(
                  args[0],
                  (name.length() > 40 ? name.substring(0, 40) : name) + "-" + look + ".png"),
              true);
          if (one != Browser.Look.DARK) {
            Browser.faultsOf(page)
                .forEach(fault -> System.out.println("AXE " + path + " " + fault));
          }
          Object wide =
              page.evaluate(
                  "document.documentElement.scrollWidth - document.documentElement.clientWidth");
          if (!wide.toString().equals("0")) {
            System.out.println("OVERFLOW " + path + " " + look + " by " + wide);
          }
        }
      }
    }
  }
}
