package io.posthorn.console.page;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.Right;
import io.posthorn.console.chart.Bars;
import io.posthorn.console.chart.Spark;
import io.posthorn.console.deadletter.Rank;
import io.posthorn.console.text.Diff;
import io.posthorn.console.text.ShownText;
import io.posthorn.console.text.StackText;
import io.posthorn.core.message.MessageState;
import jakarta.servlet.http.HttpServletRequest;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** All parts of the pages in all states, for those who work on them. It shows no data. */
@RestController
public final class ComponentsPage {
  private final Pages pages;

  /** Shows them on these pages. */
  public ComponentsPage(Pages pages) {
    this.pages = pages;
  }

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/_components")
  ResponseEntity<byte[]> show(HttpServletRequest request, Caller caller) {
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    Map<String, @Nullable Object> model = new HashMap<>();
    List<Step> steps =
        List.of(
            Step.open("Open billing", "#").primary(),
            Step.open("See relays", "#"),
            Step.act("Pause", "#"),
            Step.open("Discard 38 letters", "#").danger());
    model.put("steps", steps);
    model.put("equivalent", Equivalent.get("posthorn status", "/api/v1/databases/shop/status"));
    model.put(
        "problems",
        List.of(
            new Problem(
                "trouble",
                "billing does not answer: HTTP 503.",
                "18,204 messages wait, the oldest for 4 min. Nothing is lost.",
                steps.subList(0, 2)),
            new Problem(
                "dead",
                "42 messages could not be delivered to partner.",
                "They wait for a person.",
                steps.subList(0, 1)),
            new Problem(
                "waiting",
                "ana paused search 2 h ago: “the index is rebuilt”.",
                "9,120 messages wait. They keep their order.",
                steps.subList(2, 3)),
            new Problem("good", "All entries are intact.", "", List.of())));
    model.put("badges", Arrays.stream(MessageState.values()).map(Badge::of).toList());
    model.put(
        "spark", Spark.of("messages per second", List.of(3.0, 5.0, 4.0, 9.0, 7.0, 8.0, 2.0, 6.0)));
    model.put("flat", Spark.of("messages that wait", List.of()));
    model.put(
        "bars", Bars.of(Map.of(today, 12L, today.minusDays(2), 4L, today.minusDays(9), 1L), 14));
    model.put(
        "ranks",
        List.of(
            new Rank("HTTP_422", 84, 100, "#"), new Rank("IllegalStateException", 9, 11, null)));
    model.put(
        "texts",
        List.of(
            "Order/o-1",
            "<script>alert(1)</script>",
            "Order/\u202Egnp.exe",
            "K/" + "very-long-key-".repeat(16)));
    model.put(
        "payload",
        new ShownText("36 bytes of application/json", "{\n  \"points\": 12\n}", null, null));
    model.put(
        "hidden",
        new ShownText(
            "36 bytes of application/json",
            null,
            "payloads are shown to people with the role payload-reader",
            null));
    model.put(
        "stack",
        StackText.of(
            "java.lang.IllegalStateException: no template\n\tat shop.mail.Template.render(Template.java:41)\n\tat java.base/java.lang.Thread.run(Thread.java:840)"));
    model.put("diff", Diff.of("{\n  \"taxId\": null\n}", "{\n  \"taxId\": \"DE123\"\n}"));
    return pages.answer(
        HttpStatus.OK, request, caller, null, "components", "-", "Components", model);
  }
}
