package io.posthorn.api.event;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * One stream of events. It writes without blocking: what a slow reader cannot take now, it misses.
 * It ends after some minutes, and browsers then connect again, so that rights that were taken away
 * end, too.
 */
final class Stream implements LiveFigures.Listener, WriteListener, AsyncListener {
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final long MOST_MISSED = 30;

  private final AsyncContext context;
  private final ServletOutputStream out;
  private final long began = System.nanoTime();
  private long number;
  private long missed;
  private boolean ready;
  private boolean over;
  private String waiting = "";

  Stream(AsyncContext context, ServletOutputStream out) {
    this.context = context;
    this.out = out;
  }

  void open() {
    context.setTimeout(0);
    context.addListener(this);
    out.setWriteListener(this);
  }

  @Override
  public synchronized boolean send(String event, String data) {
    if (over) {
      return false;
    }
    if (System.nanoTime() - began > LONGEST_NANOS || missed > MOST_MISSED) {
      end();
      return false;
    }
    waiting = "id: %d\nevent: %s\ndata: %s\n\n".formatted(++number, event, data);
    write();
    return !over;
  }

  private void write() {
    try {
      if (waiting.isEmpty()) {
        return;
      }
      if (!ready || !out.isReady()) {
        ready = false;
        missed++;
        return;
      }
      out.write(waiting.getBytes(UTF_8));
      waiting = "";
      missed = 0;
      if (out.isReady()) {
        out.flush();
      } else {
        ready = false;
      }
    } catch (IOException | RuntimeException e) {
      end();
    }
  }

  @Override
  public synchronized void onWritePossible() {
    ready = true;
    if (!over) {
      write();
    }
  }

  @Override
  public synchronized void end() {
    if (!over) {
      over = true;
      try {
        context.complete();
      } catch (RuntimeException e) {
        // The container has ended it already.
      }
    }
  }

  @Override
  public void onError(Throwable failure) {
    end();
  }

  @Override
  public synchronized void onComplete(AsyncEvent event) {
    over = true;
  }

  @Override
  public void onTimeout(AsyncEvent event) {
    end();
  }

  @Override
  public void onError(AsyncEvent event) {
    end();
  }

  @Override
  public void onStartAsync(AsyncEvent event) {}
}
