package io.posthorn.console.page;

import io.posthorn.api.access.OperatedDatabase;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.springframework.beans.factory.DisposableBean;

/**
 * Asks databases, and gives up in time: a database that does not answer is shown as that within two
 * seconds. Each database has a few threads of its own, so one that hangs holds up no other, and no
 * thread of the web server.
 */
public final class Ask implements DisposableBean {
  /** How long a page waits. */
  static final Duration PAGE = Duration.ofMillis(1_900);

  /** How long a person waits for what takes long by its nature, such as the doctor. */
  public static final Duration LONG = Duration.ofSeconds(30);

  private static final int THREADS = 6;

  private final Map<String, ThreadPoolExecutor> threads = new ConcurrentHashMap<>();

  /** Asks within the time of a page. */
  public <T> T now(OperatedDatabase database, Supplier<T> question) {
    return within(PAGE, database, question);
  }

  /**
   * Asks within this time.
   *
   * @throws AwayException if there is no answer in time
   */
  public <T> T within(Duration limit, OperatedDatabase database, Supplier<T> question) {
    Future<T> answer;
    try {
      answer = threadsOf(database.name()).submit(question::get);
    } catch (RejectedExecutionException e) {
      throw new AwayException(
          database.name(), "the questions before this one are not answered yet", e);
    }
    try {
      return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new AwayException(
          database.name(), "no answer came within %.0f s".formatted(limit.toMillis() / 1_000.0), e);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new AwayException(database.name(), "the console is stopping", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  private ThreadPoolExecutor threadsOf(String database) {
    return threads.computeIfAbsent(database, Ask::newThreads);
  }

  private static ThreadPoolExecutor newThreads(String database) {
    AtomicInteger number = new AtomicInteger();
    return new ThreadPoolExecutor(
        0,
        THREADS,
        30,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        work -> {
          Thread thread =
              new Thread(
                  work, "posthorn-console-%s-%d".formatted(database, number.incrementAndGet()));
          thread.setDaemon(true);
          return thread;
        });
  }

  @Override
  public void destroy() {
    threads.values().forEach(ThreadPoolExecutor::shutdownNow);
  }
}
