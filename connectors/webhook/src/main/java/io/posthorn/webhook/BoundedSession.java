package io.posthorn.webhook;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import org.apache.hc.core5.http.nio.command.RequestExecutionCommand;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.reactor.Command;
import org.apache.hc.core5.reactor.IOEventHandler;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.util.Timeout;

/**
 * A connection that limits the bytes read, and the time spent, per request.
 *
 * <p>Every part of a response counts: status, headers, interim responses, chunks, body, trailers.
 * The client's own settings limit the length of a line and the number of headers, but neither their
 * total size nor the number of interim responses.
 */
final class BoundedSession implements IOSession {
  /** In bytes. Every normal response fits, since no body is needed. */
  static final int MAX_BYTES = 64 * 1024;

  /** The exchange ends at its timeout by itself, and knows better than this who is at fault. */
  private static final Duration AFTER_EXCHANGE = Duration.ofSeconds(1);

  private final IOSession session;
  private final long nanos;
  private final AtomicLong read = new AtomicLong();
  private volatile long startedAt = System.nanoTime();

  BoundedSession(IOSession session, Duration timeout) {
    this.session = session;
    this.nanos = timeout.plus(AFTER_EXCHANGE).toNanos();
  }

  /** The receiver sent more than any normal response needs. */
  static final class ResponseTooLargeException extends IOException {
    private static final long serialVersionUID = 1L;

    ResponseTooLargeException() {
      super("the response is larger than the limit of " + MAX_BYTES + " bytes");
    }
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    int length = session.read(target);
    if (length > 0 && read.addAndGet(length) > MAX_BYTES) {
      throw new ResponseTooLargeException();
    }
    // The exchange was answered long ago, but its cancellation may miss a receiver that sends
    // slowly.
    if (length > 0 && System.nanoTime() - startedAt > nanos) {
      throw new SocketTimeoutException("the response did not end in time");
    }
    return length;
  }

  @Override
  public void enqueue(Command command, Command.Priority priority) {
    if (command instanceof RequestExecutionCommand) {
      read.set(0);
      startedAt = System.nanoTime();
    }
    session.enqueue(command, priority);
  }

  // ---- the other methods only delegate ----

  @Override
  public int write(ByteBuffer source) throws IOException {
    return session.write(source);
  }

  @Override
  public String getId() {
    return session.getId();
  }

  @Override
  public IOEventHandler getHandler() {
    return session.getHandler();
  }

  @Override
  public void upgrade(IOEventHandler handler) {
    session.upgrade(handler);
  }

  @Override
  public Lock getLock() {
    return session.getLock();
  }

  @Override
  public boolean hasCommands() {
    return session.hasCommands();
  }

  @Override
  public Command poll() {
    return session.poll();
  }

  @Override
  public ByteChannel channel() {
    return session.channel();
  }

  @Override
  public SocketAddress getRemoteAddress() {
    return session.getRemoteAddress();
  }

  @Override
  public SocketAddress getLocalAddress() {
    return session.getLocalAddress();
  }

  @Override
  public int getEventMask() {
    return session.getEventMask();
  }

  @Override
  public void setEventMask(int operations) {
    session.setEventMask(operations);
  }

  @Override
  public void setEvent(int operation) {
    session.setEvent(operation);
  }

  @Override
  public void clearEvent(int operation) {
    session.clearEvent(operation);
  }

  @Override
  public boolean isOpen() {
    return session.isOpen();
  }

  @Override
  public Status getStatus() {
    return session.getStatus();
  }

  @Override
  public void close() {
    session.close();
  }

  @Override
  public void close(CloseMode mode) {
    session.close(mode);
  }

  @Override
  public Timeout getSocketTimeout() {
    return session.getSocketTimeout();
  }

  @Override
  public void setSocketTimeout(Timeout timeout) {
    session.setSocketTimeout(timeout);
  }

  @Override
  public long getLastReadTime() {
    return session.getLastReadTime();
  }

  @Override
  public long getLastWriteTime() {
    return session.getLastWriteTime();
  }

  @Override
  public long getLastEventTime() {
    return session.getLastEventTime();
  }

  @Override
  public void updateReadTime() {
    session.updateReadTime();
  }

  @Override
  public void updateWriteTime() {
    session.updateWriteTime();
  }
}
