package io.posthorn.api.task;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Long work of one database that runs in this process. It works in short steps, so after a restart
 * of the process, starting it again continues it.
 *
 * @param what for example {@code purge}
 * @param by who started it
 * @param step what it is doing now
 * @param result what came of it, if it is done
 * @param error why it failed
 */
public record Task(
    UUID id,
    String what,
    String by,
    State state,
    Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable String step,
    @Nullable Object result,
    @Nullable String error) {
  /** The states of a task. */
  public enum State {
    RUNNING,
    DONE,
    FAILED
  }
}
