package io.posthorn.console.live;

import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.console.page.Ask;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The newest figures of each database, and those of the last hour. However many people look, each
 * database is asked at most once per second.
 */
public final class Live {
  private static final Duration FRESH = Duration.ofSeconds(1);
  private static final int KEPT = 720;

  private final Ask ask;
  private final Map<String, Kept> kept = new ConcurrentHashMap<>();

  /** Asks through this. */
  public Live(Ask ask) {
    this.ask = ask;
  }

  private static final class Kept {
    private final Object asking = new Object();
    private final Deque<Sample> samples = new ArrayDeque<>();
    private boolean outdated;

    synchronized @Nullable Sample newest() {
      return samples.peekLast();
    }

    synchronized List<Sample> all() {
      return new ArrayList<>(samples);
    }

    /** The newest, if it still says how things are. */
    synchronized @Nullable Sample fresh() {
      Sample newest = samples.peekLast();
      return outdated || !isFresh(newest) ? null : newest;
    }

    synchronized void outdate() {
      outdated = true;
    }

    synchronized void add(Sample sample) {
      outdated = false;
      samples.add(sample);
      if (samples.size() > KEPT) {
        samples.remove();
      }
    }
  }

  /** The newest figures that are known without asking; null if there are none yet. */
  public @Nullable Sample newest(String database) {
    Kept one = kept.get(database);
    return one == null ? null : one.newest();
  }

  /** The figures that are known, oldest first. */
  public List<Sample> history(String database) {
    Kept one = kept.get(database);
    return one == null ? List.of() : one.all();
  }

  /** Figures that are at most a second old. */
  public Sample now(OperatedDatabase database) {
    Kept one = kept.computeIfAbsent(database.name(), name -> new Kept());
    Sample fresh = one.fresh();
    return fresh != null ? fresh : ask.now(database, () -> read(database, one));
  }

  /** Forgets how things were, because somebody has just changed them. */
  public void changed(String database) {
    Kept one = kept.get(database);
    if (one != null) {
      one.outdate();
    }
  }

  /** Who comes while another asks gets the same answer. */
  private static Sample read(OperatedDatabase database, Kept one) {
    synchronized (one.asking) {
      Sample fresh = one.fresh();
      if (fresh != null) {
        return fresh;
      }
      Sample sample =
          new Sample(Instant.now(), database.store().status(), database.steering().checks());
      one.add(sample);
      return sample;
    }
  }

  private static boolean isFresh(@Nullable Sample sample) {
    return sample != null && Duration.between(sample.at(), Instant.now()).compareTo(FRESH) < 0;
  }
}
