package io.posthorn.api.retention;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.request.Changed;
import io.posthorn.api.request.Requests;
import io.posthorn.api.request.Why;
import io.posthorn.api.task.Task;
import io.posthorn.api.task.Tasks;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.retention.RetentionStatus;
import io.posthorn.core.operate.retention.RetentionTimes;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** What is kept and why, and purging now. */
@RestController
@RequestMapping("/api/v1/databases/{database}/retention")
public final class RetentionController {
  private final Tasks tasks;

  RetentionController(Tasks tasks) {
    this.tasks = tasks;
  }

  /**
   * What is kept.
   *
   * @param times how long finished messages and dead letters are kept, by the configuration
   */
  public record Kept(RetentionTimes times, RetentionStatus status) {}

  /** Shows what is still kept, and why. */
  @GetMapping
  @Needs(Right.VIEW)
  public Kept show(OperatedDatabase database) {
    RetentionTimes times = database.retention();
    return new Kept(times, database.store().retentionStatus(times));
  }

  /**
   * Purges now, with the times and the archive of the configuration, instead of within half an
   * hour.
   */
  @PostMapping("/purge")
  @Needs(Right.ADMINISTER)
  public ResponseEntity<Task> purge(
      OperatedDatabase database, Caller caller, @RequestBody Why body) {
    Actor by = Requests.by(caller, body.why());
    database.audit().record(by, "retention.purge", "everything that is due");
    return tasks.start(
        database,
        caller,
        "purge",
        progress ->
            database
                .store()
                .purge(
                    database.retention(),
                    database.archive(),
                    step -> {
                      progress.accept(step);
                      return !Thread.currentThread().isInterrupted();
                    }));
  }

  /** Forgets an archive, so that a purge without it is no longer refused. */
  @PostMapping("/archives/{archive}/forget")
  @Needs(Right.ADMINISTER)
  public Changed forget(
      OperatedDatabase database,
      Caller caller,
      @PathVariable String archive,
      @RequestBody Why body) {
    return new Changed(database.store().forgetArchive(archive, Requests.by(caller, body.why())));
  }
}
