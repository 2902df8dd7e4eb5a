package io.posthorn.api.event;

import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.json.PosthornJson;
import io.posthorn.core.error.Sanitiser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks each database that has listeners for its figures, once for all of them, and hands the answer
 * to each. A database without listeners is not asked. A listener that reads slowly misses answers;
 * it never makes others wait.
 */
public final class LiveFigures implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LiveFigures.class);

  /** The most listeners of this process, over all databases. */
  public static final int MOST_LISTENERS = 200;

  private static final long EVERY_MILLIS = 2_000;
  private static final int THREADS = 2;

  private final Map<String, Topic> topics = new HashMap<>();
  private final ScheduledExecutorService threads =
      Executors.newScheduledThreadPool(
          THREADS,
          work -> {
            Thread thread = new Thread(work, "posthorn-api-figures");
            thread.setDaemon(true);
            return thread;
          });
  private int listeners;
  private boolean closed;

  /** Receives events. It returns at once, and tells whether it is still there. */
  interface Listener {
    boolean send(String event, String data);

    void end();
  }

  private final class Topic {
    private final List<Listener> listening = new ArrayList<>();
    private final ScheduledFuture<?> asking;
    private volatile String last = "";

    Topic(OperatedDatabase database) {
      this.asking =
          threads.scheduleWithFixedDelay(
              () -> ask(this, database), 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Returns false if there are too many listeners already. */
  synchronized boolean listen(OperatedDatabase database, Listener listener) {
    if (closed || listeners >= MOST_LISTENERS) {
      return false;
    }
    listeners++;
    Topic topic = topics.computeIfAbsent(database.name(), name -> new Topic(database));
    topic.listening.add(listener);
    if (!topic.last.isEmpty()) {
      listener.send("figures", topic.last);
    }
    return true;
  }

  /** How many listen now. */
  public synchronized int listeners() {
    return listeners;
  }

  private void ask(Topic topic, OperatedDatabase database) {
    String event = "figures";
    String data;
    try {
      data = PosthornJson.MAPPER.writeValueAsString(database.store().figures(database.retention()));
      topic.last = data;
    } catch (RuntimeException | Error e) {
      // An Error, too: otherwise nobody would ever be told anything again.
      LOG.debug(
          "The figures of database '{}' were not read: {}", database.name(), Sanitiser.text(e));
      event = "unavailable";
      data = "{}";
    }
    hand(topic, database.name(), event, data);
  }

  private synchronized void hand(Topic topic, String name, String event, String data) {
    int before = topic.listening.size();
    topic.listening.removeIf(listener -> !listener.send(event, data));
    listeners -= before - topic.listening.size();
    if (topic.listening.isEmpty()) {
      topic.asking.cancel(false);
      topics.remove(name, topic);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    threads.shutdownNow();
    topics.values().forEach(topic -> topic.listening.forEach(Listener::end));
    topics.clear();
    listeners = 0;
  }
}
