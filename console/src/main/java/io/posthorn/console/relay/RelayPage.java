package io.posthorn.console.relay;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.console.live.Live;
import io.posthorn.console.live.Sample;
import io.posthorn.console.page.Ask;
import io.posthorn.console.page.Equivalent;
import io.posthorn.console.page.Pages;
import io.posthorn.core.operate.retention.RetentionStatus;
import io.posthorn.core.operate.status.Status.Backlog;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The live relays, what they serve, and what the log still keeps and why. */
@RestController
public final class RelayPage {
  private final Pages pages;
  private final Live live;
  private final Ask ask;

  /** Shows the newest figures. */
  public RelayPage(Pages pages, Live live, Ask ask) {
    this.pages = pages;
    this.live = live;
    this.ask = ask;
  }

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/relays")
  ResponseEntity<byte[]> show(
      HttpServletRequest request, Caller caller, OperatedDatabase database) {
    Sample sample = live.now(database);
    RetentionStatus retention =
        ask.now(database, () -> database.store().retentionStatus(database.retention()));
    Map<String, List<String>> serves = new TreeMap<>();
    for (Backlog one : sample.status().destinations()) {
      if (one.status().relay() != null) {
        serves
            .computeIfAbsent(
                Objects.requireNonNull(one.status().relay()), none -> new java.util.ArrayList<>())
            .add(one.status().name());
      }
    }
    long mostBytes =
        retention.leaves().stream().mapToLong(RetentionStatus.Leaf::bytes).max().orElse(1);
    return pages.page(
        request,
        caller,
        database,
        "relays",
        "relays",
        "Relays",
        Map.of(
            "relays", sample.status().relays(),
            "serves", serves,
            "log", sample.status().log(),
            "retention", retention,
            "most", Math.max(1, mostBytes),
            "unread",
                retention.unread().stream()
                    .sorted(Comparator.comparing(RetentionStatus.Unread::bytes).reversed())
                    .toList(),
            "times", database.retention(),
            "equivalent",
                Equivalent.get(
                    "posthorn retention show",
                    "/api/v1/databases/%s/relays".formatted(database.name()))));
  }
}
