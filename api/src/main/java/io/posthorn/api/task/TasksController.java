package io.posthorn.api.task;

import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.Right;
import io.posthorn.api.request.Page;
import io.posthorn.api.request.Requests;
import java.util.UUID;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Long work of this process. */
@RestController
@RequestMapping("/api/v1/databases/{database}/tasks")
public final class TasksController {
  private final Tasks tasks;

  TasksController(Tasks tasks) {
    this.tasks = tasks;
  }

  /** Lists the tasks since the start of this process, newest first. */
  @GetMapping
  @Needs(Right.VIEW)
  public Page<Task> list(OperatedDatabase database) {
    return Page.all(tasks.list(database.name()));
  }

  /** Shows a task. */
  @GetMapping("/{id}")
  @Needs(Right.VIEW)
  public Task show(OperatedDatabase database, @PathVariable UUID id) {
    return tasks.find(database.name(), id).orElseThrow(() -> Requests.missing("task", id));
  }
}
