package io.posthorn.console.audit;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.mask.PayloadView;
import io.posthorn.api.mask.PayloadViews;
import io.posthorn.console.page.Ask;
import io.posthorn.console.page.Equivalent;
import io.posthorn.console.page.Links;
import io.posthorn.console.page.Pages;
import io.posthorn.console.page.Viewer;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditCheck;
import io.posthorn.core.operate.audit.AuditEntry;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Who did what, when and why; the newest first. */
@RestController
public final class AuditPage {
  private static final int PAGE = 50;

  private final Pages pages;
  private final Ask ask;
  private final PayloadViews views;

  /** Asks within the time of a page. */
  public AuditPage(Pages pages, Ask ask, PayloadViews views) {
    this.pages = pages;
    this.ask = ask;
    this.views = views;
  }

  private record Read(List<AuditEntry> entries, long last) {}

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/audit")
  ResponseEntity<byte[]> show(
      HttpServletRequest request,
      Caller caller,
      OperatedDatabase database,
      @RequestParam(required = false) @Nullable Long before) {
    Read read =
        ask.now(
            database,
            () -> {
              Audit audit = database.audit();
              long last = before == null ? newest(audit) : Math.max(0, before - 1);
              List<AuditEntry> entries =
                  new ArrayList<>(audit.after(Math.max(0, last - PAGE), PAGE));
              entries.removeIf(one -> one.n() > last);
              Collections.reverse(entries);
              return new Read(entries, last);
            });
    Links links = pages.links(database);
    Map<String, @Nullable Object> model = new HashMap<>();
    PayloadView view = views.of(caller, database);
    model.put("entries", read.entries().stream().map(view::entry).toList());
    long oldest = read.entries().isEmpty() ? 1 : read.entries().get(read.entries().size() - 1).n();
    model.put("next", oldest > 1 ? links.to("audit", Map.of("before", oldest)) : null);
    model.put("first", before == null ? null : links.to("audit"));
    model.put(
        "equivalent",
        Equivalent.get(
            "posthorn audit list", "/api/v1/databases/%s/audit".formatted(database.name())));
    return pages.page(request, caller, database, "audit", "audit", "Audit", model);
  }

  /** Entries have the numbers from 1 without gaps, so halving finds the newest. */
  private static long newest(Audit audit) {
    long step = 1;
    while (!audit.after(step, 1).isEmpty()) {
      step *= 2;
    }
    long low = step / 2;
    long high = step;
    while (low < high) {
      long middle = (low + high) / 2;
      if (audit.after(middle, 1).isEmpty()) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  @Needs(Right.VIEW)
  @GetMapping("${posthorn.console.path:/posthorn}/{database}/audit/verify")
  ResponseEntity<byte[]> verify(Caller caller, OperatedDatabase database) {
    AuditCheck check = ask.within(Ask.LONG, database, () -> database.audit().verify());
    return pages.html(
        HttpStatus.OK,
        pages.part(
            pages.links(database),
            new Viewer(caller, database.name()),
            "audit",
            Set.of("verified"),
            Map.of("check", check)));
  }
}
