package io.posthorn.core.relay;

import io.posthorn.core.store.Batch;
import io.posthorn.core.store.ClaimLimits;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Reads further pages of a lane's open window before the lane has room for them, since reading a
 * page takes longer than sending one. A store thread reads page after page by itself, without
 * waiting for the lane's thread. All methods are called on the lane's own thread.
 */
final class ReadAhead {
  /** Pages in one read: to begin a read costs as much as to read a hundred rows. */
  private static final int PAGES_PER_READ = 2;

  /** Most pages that are read, or are being read, and not yet taken in. */
  private static final int MAX_PAGES = 2 * PAGES_PER_READ;

  /**
   * A page in reserve. It counts as not read until it is taken in.
   *
   * @param read the number of the last read of this lane that is complete when this page is taken
   *     in
   * @param at when it was in memory
   */
  record Page(Batch batch, long read, long at) {}

  /** A series of reads that a store thread makes without waiting for the lane. */
  private static final class Run {
    volatile boolean stopped;
  }

  private final RelayContext context;
  private final KeyChains chains;
  private final StoreCalls calls;
  private final Mailbox mailbox;
  private final WrittenProgress written;
  private final ClaimLimits limits;
  private final Runnable onPage;

  private final Semaphore freePages = new Semaphore(0);
  private final Deque<Page> pages = new ArrayDeque<>();
  private @Nullable Run run;
  private @Nullable Batch readToEnd;

  /**
   * @param written the progress ids that this relay has written, or may have: a read counts only if
   *     the newest progress is one of them
   * @param onPage called when pages have arrived
   */
  ReadAhead(
      RelayContext context,
      KeyChains chains,
      StoreCalls calls,
      Mailbox mailbox,
      WrittenProgress written,
      ClaimLimits limits,
      Runnable onPage) {
    this.context = context;
    this.chains = chains;
    this.calls = calls;
    this.mailbox = mailbox;
    this.written = written;
    this.limits = limits;
    this.onPage = onPage;
  }

  /** Whether a page is being read or is in reserve. */
  boolean active() {
    return run != null || !pages.isEmpty();
  }

  /** Starts to read behind the last page, if the window has more and no read is running. */
  boolean start(@Nullable Batch taken) {
    Page newest = pages.peekLast();
    Batch last = newest == null ? taken : newest.batch;
    boolean full = pages.size() + PAGES_PER_READ > MAX_PAGES;
    if (run != null || full || last == null || !last.more() || last == readToEnd) {
      return false;
    }
    Run newRun = new Run();
    run = newRun;
    freePages.drainPermits();
    freePages.release(MAX_PAGES - pages.size());
    return calls.run("read ahead", () -> read(newRun, last), end -> ended(), this::ended);
  }

  /** The next page in reserve; null if there is none. */
  @Nullable Page peek() {
    return pages.peek();
  }

  /** Removes the next page, which was taken in. */
  void taken() {
    chains.readTaken(pages.remove().read);
    freePages.release();
    unblockIfIdle();
  }

  /** Drops all pages: they are not sent soon, or not by this relay. */
  void forget() {
    pages.clear();
    if (run != null) {
      run.stopped = true;
    }
    unblockIfIdle();
  }

  // Runs on a store thread.
  private Run read(Run here, Batch from) {
    Batch last = from;
    while (last.more() && !here.stopped && freePages.tryAcquire(PAGES_PER_READ)) {
      Batch after = last;
      long read = chains.readBegins();
      List<Batch> found = context.store().readAhead(after, written.ids(), limits, PAGES_PER_READ);
      long at = context.ticker().nanoTime();
      mailbox.put(() -> arrived(here, after, found, read, at));
      if (found.isEmpty()) {
        break;
      }
      last = found.get(found.size() - 1);
    }
    return here;
  }

  private void arrived(Run from, Batch after, List<Batch> found, long read, long at) {
    freePages.release(PAGES_PER_READ - found.size());
    written.readsEnded(read);
    if (found.isEmpty()) {
      readToEnd = after;
    } else if (!from.stopped) {
      for (int i = 1; i <= found.size(); i++) {
        pages.add(new Page(found.get(i - 1), i == found.size() ? read : read - 1, at));
      }
      onPage.run();
    }
  }

  /** Says which stored progress is the newest. */
  void newestIs(@Nullable UUID progress) {
    if (progress != null) {
      written.newestIs(progress, chains.newestRead());
      if (run == null) {
        written.readsEnded(chains.newestRead());
      }
    }
  }

  private void ended() {
    run = null;
    written.readsEnded(chains.newestRead());
    unblockIfIdle();
  }

  private void unblockIfIdle() {
    if (!active()) {
      chains.allReadsTaken();
    }
  }
}
