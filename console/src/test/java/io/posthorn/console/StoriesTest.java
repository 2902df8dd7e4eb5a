package io.posthorn.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import io.posthorn.api.access.Role;
import io.posthorn.console.Browser.Look;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What people do with the console, from the first look to the end. */
class StoriesTest {
  private static final LocatorAssertions.ContainsTextOptions SOON =
      new LocatorAssertions.ContainsTextOptions().setTimeout(20_000);

  private static Browser browser;

  private Shop shop;
  private TestConsole console;

  @BeforeAll
  static void start() {
    browser = new Browser();
  }

  @AfterAll
  static void stop() {
    browser.close();
  }

  @BeforeEach
  void open() {
    shop = Shop.open();
    console = TestConsole.over(shop);
  }

  @AfterEach
  void close() {
    console.close();
    shop.close();
  }

  private Page tab(Role role, String path) {
    Page page = browser.tab(Look.LIGHT, role, console.url());
    page.navigate(console.url() + path);
    return page;
  }

  private static Locator button(Page page, String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  private static Locator link(Page page, String name) {
    return page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  private DeadLetters letters() {
    return DeadLetters.on(shop.store());
  }

  private void awaitDead(long count) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> letters().count(DeadLetterQuery.waiting()) == count);
  }

  @Test
  void an_outage_is_seen_from_its_beginning_to_its_end_without_a_reload() {
    Page page = tab(Role.VIEWER, "/shop");
    assertThat(page.locator("h1")).containsText("All 6 destinations deliver.", SOON);

    shop.isDown("billing");
    new Day(shop).order("o-1");

    assertThat(page.locator("h1"))
        .containsText("billing does not answer. 2 messages wait; nothing is lost.", SOON);
    assertThat(page.locator(".problem .cause")).containsText("503 Service Unavailable");
    shop.steering().pause("search", Shop.ANA);
    assertThat(page.locator("#content")).containsText("“the index is rebuilt, ticket 1187”", SOON);
    shop.steering().resume("search", Shop.ANA);
    page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Open billing")).click();
    assertThat(page.locator("h1")).containsText("billing");

    shop.works("billing");

    assertThat(page.locator(".sentence"))
        .containsText("running", new LocatorAssertions.ContainsTextOptions().setTimeout(60_000));
    page.goBack();
    assertThat(page.locator("h1")).containsText("All 6 destinations deliver.", SOON);
    page.context().close();
  }

  @Test
  void a_poison_message_is_corrected_and_delivered() {
    List<String> got = new CopyOnWriteArrayList<>();
    shop.receiver(
        "partner",
        one -> {
          String text = new String(one.payload(), StandardCharsets.UTF_8);
          if (text.contains("null")) {
            return Outcome.rejected(Reason.of("HTTP_422", "422 tax id missing"));
          }
          got.add(text);
          return Outcome.SENT;
        });
    shop.write("OrderPlaced", "Order", "o-1", "{\"orderId\":\"o-1\",\"taxId\":null}");
    awaitDead(1);

    Page page = tab(Role.ADMIN, "/shop/dead");
    link(page, "HTTP_422").first().click();
    assertThat(page.locator("h1")).hasText("HTTP_422");
    page.locator("tbody a[data-row]").first().click();
    link(page, "Correct and requeue").click();
    Locator editor = page.locator("dialog textarea");
    editor.fill(editor.inputValue().replace("null", "\"DE 812\""));
    button(page, "Compare").click();
    assertThat(page.locator("dialog .diff .del")).containsText("\"taxId\": null");
    assertThat(page.locator("dialog .diff .add")).containsText("\"taxId\": \"DE 812\"");
    page.getByLabel("Why").fill("the tax id was missing, ticket 812");
    button(page, "Requeue the corrected message").click();

    assertThat(page.locator(".toast")).containsText("The corrected message is requeued.");
    Awaitility.await().until(() -> !got.isEmpty());
    assertThat(got).singleElement().asString().contains("DE 812");
    page.navigate(console.url() + "/shop/dead");
    assertThat(page.locator("main")).containsText("No dead letter waits.");
    assertThat(Audit.on(shop.store()).after(0, 10))
        .anyMatch(entry -> entry.who().equals("rui") && entry.why().contains("ticket 812"));
    page.context().close();
  }

  @Test
  void all_letters_of_a_cause_are_requeued_behind_a_canary() {
    shop.receiver("mail", one -> Outcome.rejected(Reason.of("REJECTED", "unknown template")));
    for (int i = 0; i < 12; i++) {
      shop.write("OrderPaid", "Order", "o-" + i, "{}");
    }
    awaitDead(12);
    shop.works("mail");

    Page page = tab(Role.OPERATOR, "/shop/dead");
    link(page, "REJECTED").first().click();
    link(page, "Requeue all 12").click();
    assertThat(page.locator("dialog .will")).containsText("Sends 12 messages to mail.");
    page.getByLabel("Canary").fill("3");
    page.getByLabel("Why").fill("the template is back");
    button(page, "Requeue 12 letters").click();

    assertThat(page.locator("#progress"))
        .containsText("12 sent, 0 died again, 0 on the way.", SOON);
    assertThat(letters().count(DeadLetterQuery.waiting())).isZero();
    page.context().close();
  }

  @Test
  void a_destination_is_paused_and_resumed_by_the_keyboard_alone() {
    Page page = tab(Role.OPERATOR, "/shop");
    assertThat(page.locator("h1")).containsText("All 6 destinations deliver.", SOON);
    page.keyboard().press("/");
    page.keyboard().type("mail");
    assertThat(page.locator("#found a").first()).containsText("mail");
    page.keyboard().press("Enter");
    assertThat(page.locator("h1")).hasText("mail");
    link(page, "Pause").focus();
    page.keyboard().press("Enter");
    assertThat(page.getByLabel("Only this type")).isVisible();
    page.getByLabel("Why").focus();
    page.keyboard().type("the mail server moves");
    page.keyboard().press("Enter");

    assertThat(page.locator(".toast")).containsText("Paused: destination mail.");
    assertThat(shop.steering().pauses(5))
        .singleElement()
        .matches(pause -> pause.why().equals("the mail server moves"));
    page.locator(".toast a").focus();
    page.keyboard().press("Enter");
    page.getByLabel("Why").focus();
    page.keyboard().type("it has moved");
    page.keyboard().press("Enter");
    assertThat(page.locator(".toast")).containsText("Resumed: destination mail.");
    assertThat(shop.steering().pauses(5)).isEmpty();
    page.keyboard().press("?");
    assertThat(page.locator("#help")).isVisible();
    page.context().close();
  }

  @Test
  void two_people_who_decide_about_one_letter_get_a_clear_answer() {
    shop.receiver("mail", one -> Outcome.rejected(Reason.of("REJECTED", "unknown template")));
    shop.write("OrderPaid", "Order", "o-1", "{}");
    awaitDead(1);
    var letter = letters().list(DeadLetterQuery.waiting(), null, 1).get(0).id();
    Page page = tab(Role.OPERATOR, "/shop/dead/" + letter);
    link(page, "Discard").click();
    page.getByLabel("Why").fill("a test order");

    letters().discard(List.of(letter), Shop.ANA);
    button(page, "Discard 1 letter").click();

    assertThat(page.locator("#dialog"))
        .containsText("Somebody has decided about this letter already: it is discarded.");
    page.context().close();
  }

  @Test
  void nothing_is_done_without_a_reason_nor_for_another_site() {
    Page page = tab(Role.OPERATOR, "/shop");
    var answer =
        page.request()
            .post(
                console.url() + "/shop/act/pause?destination=mail&step=do&why=x",
                com.microsoft.playwright.options.RequestOptions.create()
                    .setHeader("Origin", "https://evil.example"));
    assertThat(answer.status()).isEqualTo(400);
    answer =
        page.request().post(console.url() + "/shop/act/pause?destination=mail&step=do&why=%20");
    assertThat(answer.text()).contains("the reason is missing");

    assertThat(shop.steering().pauses(5)).isEmpty();
    page.context().close();
  }

  static Outcome refuse(Message message) {
    return Outcome.rejected(
        Reason.of("REJECTED", "<img src=x onerror=\"document.title='owned'\"> \u202Egnp.exe"));
  }
}
