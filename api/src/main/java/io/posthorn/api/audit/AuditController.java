package io.posthorn.api.audit;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.json.PosthornJson;
import io.posthorn.api.mask.PayloadView;
import io.posthorn.api.mask.PayloadViews;
import io.posthorn.api.request.Page;
import io.posthorn.api.request.Requests;
import io.posthorn.api.task.Task;
import io.posthorn.api.task.Tasks;
import io.posthorn.core.operate.audit.AuditEntry;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Who did what. */
@RestController
@RequestMapping("/api/v1/databases/{database}/audit")
public final class AuditController {
  private static final MediaType LINES = MediaType.parseMediaType("application/x-ndjson");

  private final PayloadViews views;
  private final Tasks tasks;

  AuditController(PayloadViews views, Tasks tasks) {
    this.views = views;
    this.tasks = tasks;
  }

  /** Lists entries, oldest first, after a number. */
  @GetMapping
  @Needs(Right.VIEW)
  public Page<AuditEntry> list(
      OperatedDatabase database,
      Caller caller,
      @RequestParam(defaultValue = "0") long after,
      @RequestParam(defaultValue = "50") int limit) {
    int most = Page.limit(limit);
    List<AuditEntry> found = database.audit().after(after, most);
    PayloadView view = views.of(caller, database);
    return Page.of(found, most, AuditEntry::n).map(view::entry);
  }

  /** Checks that no entry was changed or removed. The result of the task has the answer. */
  @PostMapping("/verify")
  @Needs(Right.VIEW)
  public ResponseEntity<Task> verify(OperatedDatabase database, Caller caller) {
    return tasks.start(database, caller, "verify audit", progress -> database.audit().verify());
  }

  /** Exports all entries after a number, one JSON object per line, to keep them elsewhere. */
  @GetMapping("/export")
  @Needs(Right.ADMINISTER)
  public ResponseEntity<StreamingResponseBody> export(
      OperatedDatabase database, @RequestParam(defaultValue = "0") long after) {
    return ResponseEntity.ok()
        .contentType(LINES)
        .header(
            HttpHeaders.CONTENT_DISPOSITION,
            "attachment; filename=\"audit-%s.ndjson\"".formatted(database.name()))
        .body(out -> write(out, database, after));
  }

  /** Writes the lines that {@code posthorn audit verify --file} reads. */
  private static void write(OutputStream out, OperatedDatabase database, long after) {
    String[] previous = {
      after == 0
          ? AuditEntry.START
          : database
              .audit()
              .entry(after)
              .orElseThrow(() -> Requests.missing("entry of the audit", after))
              .hash()
    };
    database
        .audit()
        .forEach(
            after,
            entry -> {
              line(out, entry, previous[0]);
              previous[0] = entry.hash();
              return true;
            });
  }

  private static void line(OutputStream out, AuditEntry entry, String previous) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("n", entry.n());
    line.put("at", entry.at().toString());
    line.put("who", entry.who());
    line.put("role", entry.role());
    line.put("action", entry.action());
    line.put("target", entry.target());
    line.put("why", entry.why());
    if (entry.before() != null) {
      line.put("before", entry.before());
    }
    if (entry.after() != null) {
      line.put("after", entry.after());
    }
    line.put("previous", previous);
    line.put("hash", entry.hash());
    try {
      out.write(PosthornJson.MAPPER.writeValueAsBytes(line));
      out.write('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
