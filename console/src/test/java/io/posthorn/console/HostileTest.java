package io.posthorn.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import io.posthorn.api.access.Role;
import io.posthorn.console.Browser.Look;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.steering.Scope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.web.util.UriUtils;

/** Text of messages that would like to be more than text. */
class HostileTest {
  private static final String MARK = "<img src=x onerror=\"document.title='owned'\">";
  private static final List<String> KEYS =
      List.of(
          MARK,
          "\u202Egnp.exe",
          "a\u0007b\u001b[31mc",
          "'\"><script>document.title='owned'</script>",
          "${1237*8111} [[${1237*8111}]] __${1237*8111}__ #{x} @{y} ~{z}",
          "long-" + "x".repeat(200),
          "..%2f..\\?#&=+ %00");

  @Test
  void hostile_text_is_text_on_every_page() {
    try (Shop shop = Shop.open();
        TestConsole console = TestConsole.over(shop);
        Browser browser = new Browser()) {
      shop.receiver("mail", StoriesTest::refuse);
      List<byte[]> payloads =
          List.of(
              ("{\"x\":\"" + MARK.replace("\"", "\\\"") + "\"}").getBytes(StandardCharsets.UTF_8),
              ("{\"x\":\"" + "y".repeat(1_000_000) + "\"}").getBytes(StandardCharsets.UTF_8));
      for (String key : KEYS) {
        for (byte[] payload : payloads) {
          shop.write(
              "Hostile",
              "T",
              key.replace("\u0007", "").replace("\u001b", ""),
              payload,
              "h<b>",
              MARK,
              "correlation-id",
              MARK);
        }
      }
      DeadLetters letters = DeadLetters.on(shop.store());
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () ->
                  letters.count(DeadLetterQuery.waiting()) == (long) KEYS.size() * payloads.size());
      Actor by = new Actor(MARK, MARK + "\u202E");
      shop.steering().pause(Scope.key(new Key("T", MARK), "search"), by);
      DeadLetter first = letters.list(DeadLetterQuery.waiting(), null, 1).get(0);
      letters.note(first.fingerprint(), MARK, MARK, by);
      List<String> pages =
          new ArrayList<>(
              List.of(
                  "/shop",
                  "/shop/destinations",
                  "/shop/destinations/mail",
                  "/shop/messages",
                  "/shop/dead",
                  "/shop/dead/list",
                  "/shop/operations",
                  "/shop/audit",
                  "/shop/relays",
                  "/shop/consumers?name=" + query(MARK),
                  "/shop/dead/causes/" + first.fingerprint(),
                  "/shop/act/note?cause=" + first.fingerprint(),
                  "/shop/act/release?destination=mail&key=" + query("T/" + MARK)));
      letters.list(DeadLetterQuery.waiting(), null, 20).stream()
          .flatMap(
              one ->
                  List.of("/shop/dead/" + one.id(), "/shop/messages/" + one.messageId()).stream())
          .forEach(pages::add);
      for (String key : KEYS) {
        pages.add("/shop/messages?key=" + query(key));
        pages.add(
            "/shop/messages?type="
                + query(key)
                + "&correlation="
                + query(key)
                + "&from="
                + query(key));
        pages.add("/shop/dead?error=" + query(key));
        pages.add("/shop/jump?q=" + query(key));
        pages.add("/shop/destinations?name=" + query(key));
        pages.add("/shop/act/" + query(key).replace("%", ""));
      }
      Page page = browser.tab(Look.LIGHT, Role.ADMIN, console.url());
      for (String path : pages) {
        var answer = Objects.requireNonNull(page.navigate(console.url() + path));
        assertThat(answer.status()).as(path).isLessThan(500);
        assertThat(page.title()).as(path).isNotEqualTo("owned");
        Object found =
            page.evaluate("document.querySelectorAll('main img, main script, main b b').length");
        assertThat(found).as(path).isEqualTo(0);
        String text = (String) page.evaluate("document.body.textContent");
        assertThat(text).as(path).doesNotContain("\u202E", "10033307");
        assertThat(answer.text().length()).as(path).isLessThan(400_000);
      }
    }
  }

  private static String query(String text) {
    return UriUtils.encode(text, StandardCharsets.UTF_8);
  }
}
