package io.posthorn.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Role;
import io.posthorn.console.Browser.Look;
import io.posthorn.console.page.Assets;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.operation.Operations;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every page, with a bad day's data and with none, in a real browser. */
class PagesTest {
  private static final Path PICTURES = Path.of("target", "pictures");

  private static Shop shop;
  private static Shop empty;
  private static TestConsole console;
  private static Browser browser;
  private static final Map<String, String> PAGES = new LinkedHashMap<>();

  @BeforeAll
  static void open() throws Exception {
    Files.createDirectories(PICTURES);
    shop = Shop.open();
    new Day(shop).bad();
    empty = Shop.open();
    console =
        TestConsole.over(
            0,
            OperatedDatabase.of("shop", "test", shop.store()),
            OperatedDatabase.of("empty", "test", empty.store()));
    browser = new Browser();
    DeadLetters letters = DeadLetters.on(shop.store());
    var letter = letters.list(DeadLetterQuery.builder().reason("HTTP_422").build(), null, 1).get(0);
    var thrown =
        letters.list(DeadLetterQuery.builder().destination("mail").build(), null, 1).get(0);
    var operation = Operations.on(shop.store()).list(1).get(0);
    PAGES.put("overview", "/shop");
    PAGES.put("databases", "/");
    PAGES.put("destinations", "/shop/destinations");
    PAGES.put("destination", "/shop/destinations/billing");
    PAGES.put("parked", "/shop/destinations/loyalty");
    PAGES.put("messages", "/shop/messages");
    PAGES.put("message", "/shop/messages/" + letter.messageId());
    PAGES.put("dead", "/shop/dead");
    PAGES.put("letters", "/shop/dead/list");
    PAGES.put("cause", "/shop/dead/causes/" + letter.fingerprint());
    PAGES.put("letter", "/shop/dead/" + thrown.id());
    PAGES.put("operations", "/shop/operations");
    PAGES.put("operation", "/shop/operations/" + operation.id());
    PAGES.put("consumers", "/shop/consumers");
    PAGES.put("relays", "/shop/relays");
    PAGES.put("audit", "/shop/audit");
    PAGES.put("doctor", "/shop/doctor");
    PAGES.put("components", "/_components");
    PAGES.put("dialog", "/shop/act/requeue-all?cause=" + letter.fingerprint());
    PAGES.put("correct", "/shop/act/correct?letter=" + letter.id());
    PAGES.put("empty-overview", "/empty");
    PAGES.put("empty-dead", "/empty/dead");
    PAGES.put("empty-messages", "/empty/messages?key=none");
    PAGES.put("nothing", "/shop/destinations/nothing");
  }

  @AfterAll
  static void close() {
    browser.close();
    console.close();
    shop.close();
    empty.close();
  }

  private static List<String> faults(Look look) {
    List<String> faults = new ArrayList<>();
    Page page = browser.tab(look, Role.ADMIN, console.url());
    page.onConsoleMessage(
        message -> {
          if (message.type().equals("error") && !message.text().contains("404")) {
            faults.add(page.url() + " says: " + message.text());
          }
        });
    page.onPageError(error -> faults.add(page.url() + " throws: " + error));
    PAGES.forEach(
        (name, path) -> {
          page.navigate(console.url() + path);
          if (name.equals("doctor")) {
            page.waitForSelector(".problem");
          }
          Browser.shot(
              page,
              PICTURES.resolve(
                  name + "-" + look.name().toLowerCase(java.util.Locale.ROOT) + ".png"),
              false);
          Browser.faultsOf(page).forEach(fault -> faults.add(name + ": " + fault));
          Object wider =
              page.evaluate(
                  "document.documentElement.scrollWidth - document.documentElement.clientWidth");
          if (!wider.toString().equals("0")) {
            faults.add("%s is %s pixels wider than the screen".formatted(name, wider));
          }
        });
    page.context().close();
    return faults;
  }

  @Test
  void every_page_is_usable_by_everybody_in_light_colours() {
    assertThat(faults(Look.LIGHT)).isEmpty();
  }

  @Test
  void every_page_is_usable_by_everybody_in_dark_colours() {
    assertThat(faults(Look.DARK)).isEmpty();
  }

  @Test
  void every_page_is_usable_by_everybody_on_a_phone() {
    assertThat(faults(Look.PHONE)).isEmpty();
  }

  @Test
  void axe_would_find_a_fault() {
    Page page = browser.tab(Look.LIGHT, Role.ADMIN, console.url());
    page.setContent("<html lang='en'><title>x</title><main><h1>x</h1><img src='x.png'></main>");

    assertThat(Browser.faultsOf(page)).anyMatch(fault -> fault.startsWith("image-alt"));
    page.context().close();
  }

  @Test
  void a_viewer_sees_actions_greyed_with_the_right_that_is_missing() {
    Page page = browser.tab(Look.LIGHT, Role.VIEWER, console.url());
    page.navigate(console.url() + "/shop/destinations/billing");

    var pause =
        page.locator("button[aria-disabled=true]")
            .filter(new com.microsoft.playwright.Locator.FilterOptions().setHasText("Pause"));
    assertThat(pause.getAttribute("title")).isEqualTo("needs the right operate");
    pause.click(new com.microsoft.playwright.Locator.ClickOptions().setForce(true));
    assertThat(page.locator(".toast").innerText()).contains("Pause needs the right operate");

    assertThat(page.navigate(console.url() + "/shop/act/pause?destination=billing").status())
        .isEqualTo(403);
    Browser.shot(page, PICTURES.resolve("forbidden-light.png"), false);
    page.context().close();
  }

  @Test
  void a_viewer_sees_neither_payloads_nor_values_in_errors() {
    Page page = browser.tab(Look.LIGHT, Role.VIEWER, console.url());
    for (String name : List.of("message", "letter", "cause", "dead", "letters", "parked")) {
      page.navigate(console.url() + PAGES.get(name));

      assertThat(page.content())
          .as(name)
          .doesNotContain("Łukasiewicz", "customer \"4711", "taxId", "cart-reminder", "c-0\\");
    }
    page.context().close();
  }

  @Test
  void a_browser_loads_less_than_300_kB() {
    assertThat(Assets.zippedBytes()).isLessThan(300_000);
  }
}
