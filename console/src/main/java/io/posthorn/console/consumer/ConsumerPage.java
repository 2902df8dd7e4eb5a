package io.posthorn.console.consumer;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.console.live.Live;
import io.posthorn.console.page.Ask;
import io.posthorn.console.page.Equivalent;
import io.posthorn.console.page.Pages;
import io.posthorn.console.text.Times;
import io.posthorn.core.inbox.Receipt;
import io.posthorn.core.inbox.ReceiptQuery;
import io.posthorn.core.inbox.ReceiptState;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The receipts of consumers: what they have received, and whether it took effect. */
@RestController
public final class ConsumerPage {
  private static final int MOST = 50;

  private final Pages pages;
  private final Live live;
  private final Ask ask;

  /** Asks within the time of a page. */
  public ConsumerPage(Pages pages, Live live, Ask ask) {
    this.pages = pages;
    this.live = live;
    this.ask = ask;
  }

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/consumers")
  ResponseEntity<byte[]> show(
      HttpServletRequest request,
      Caller caller,
      OperatedDatabase database,
      @RequestParam(defaultValue = "") String name,
      @RequestParam(defaultValue = "") String state,
      @RequestParam(defaultValue = "") String from) {
    String consumer = name.strip();
    List<Receipt> receipts =
        consumer.isEmpty()
            ? List.of()
            : ask.now(
                database,
                () ->
                    database
                        .inbox()
                        .list(
                            ReceiptQuery.of(consumer)
                                .state(stateOf(state))
                                .received(Times.parse(from), null),
                            MOST));
    Map<String, @Nullable Object> model = new HashMap<>();
    model.put("name", consumer);
    model.put("state", state);
    model.put("from", from);
    model.put("receipts", receipts);
    model.put("names", names(database));
    model.put("full", receipts.size() == MOST);
    model.put(
        "equivalent",
        Equivalent.get(
            consumer.isEmpty()
                ? "posthorn inbox list"
                : "posthorn inbox list " + Equivalent.quoted(consumer),
            "/api/v1/databases/%s/inbox".formatted(database.name())));
    return pages.page(request, caller, database, "consumers", "consumers", "Consumers", model);
  }

  /** Consumers are destinations that receive; the figures do not tell which, so all are offered. */
  private List<String> names(OperatedDatabase database) {
    List<String> names = new ArrayList<>();
    live.now(database).status().destinations().forEach(one -> names.add(one.status().name()));
    return names;
  }

  private static @Nullable ReceiptState stateOf(String text) {
    try {
      return text.isEmpty() ? null : ReceiptState.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
