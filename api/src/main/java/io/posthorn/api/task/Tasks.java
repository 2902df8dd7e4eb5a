package io.posthorn.api.task;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.util.UriComponentsBuilder;

/** Runs long work of all databases: a few tasks at a time, the same one never twice. */
public final class Tasks implements AutoCloseable {
  private static final int THREADS = 2;
  private static final int WAITING = 20;
  private static final int KEPT = 200;

  private final Deque<Entry> entries = new ArrayDeque<>();
  private final ExecutorService threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          1,
          TimeUnit.MINUTES,
          new LinkedBlockingQueue<>(WAITING),
          work -> {
            Thread thread = new Thread(work, "posthorn-api-task");
            thread.setDaemon(true);
            return thread;
          });

  /** The work: it reports its steps and returns its result. */
  @FunctionalInterface
  public interface Work {
    Object run(Consumer<String> progress);
  }

  private static final class Entry {
    private final String database;
    private volatile Task task;

    Entry(String database, Task task) {
      this.database = database;
      this.task = task;
    }
  }

  /** Starts work and answers 202 with its address; 409 if the same work is running already. */
  public ResponseEntity<Task> start(
      OperatedDatabase database, Caller caller, String what, Work work) {
    Entry entry = enter(database.name(), caller.name(), what);
    try {
      threads.execute(() -> run(entry, work));
    } catch (RejectedExecutionException e) {
      fail(entry, "too much other work is waiting; try again later");
      throw new PosthornException(
          ErrorCode.CONFLICT,
          "'%s' was not started: too much other work is waiting. Try again later.".formatted(what),
          e);
    }
    URI location =
        UriComponentsBuilder.fromPath("/api/v1/databases/{database}/tasks/{id}")
            .encode()
            .buildAndExpand(database.name(), entry.task.id())
            .toUri();
    return ResponseEntity.accepted().location(location).body(entry.task);
  }

  private synchronized Entry enter(String database, String by, String what) {
    for (Entry one : entries) {
      if (one.database.equals(database)
          && one.task.what().equals(what)
          && one.task.state() == Task.State.RUNNING) {
        throw new PosthornException(
            ErrorCode.CONFLICT,
            "'%s' was not started: it is running already, as task %s."
                .formatted(what, one.task.id()));
      }
    }
    Task task =
        new Task(
            UUID.randomUUID(), what, by, Task.State.RUNNING, Instant.now(), null, null, null, null);
    Entry entry = new Entry(database, task);
    entries.addFirst(entry);
    if (entries.size() > KEPT) {
      entries.removeLast();
    }
    return entry;
  }

  private static void run(Entry entry, Work work) {
    try {
      Object result = work.run(step -> become(entry, Task.State.RUNNING, step, null, null));
      become(entry, Task.State.DONE, null, result, null);
    } catch (RuntimeException | Error e) {
      fail(entry, Sanitiser.text(e));
    }
  }

  private static void fail(Entry entry, String why) {
    become(entry, Task.State.FAILED, null, null, why);
  }

  private static void become(
      Entry entry,
      Task.State state,
      @Nullable String step,
      @Nullable Object result,
      @Nullable String error) {
    Task was = entry.task;
    Instant ended = state == Task.State.RUNNING ? null : Instant.now();
    entry.task =
        new Task(
            was.id(), was.what(), was.by(), state, was.startedAt(), ended, step, result, error);
  }

  /** The tasks of a database, newest first. */
  synchronized List<Task> list(String database) {
    return entries.stream()
        .filter(one -> one.database.equals(database))
        .map(one -> one.task)
        .toList();
  }

  Optional<Task> find(String database, UUID id) {
    return list(database).stream().filter(one -> one.id().equals(id)).findFirst();
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
