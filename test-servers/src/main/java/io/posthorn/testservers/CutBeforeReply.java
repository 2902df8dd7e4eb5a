package io.posthorn.testservers;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Forwards the request that reaches the moment, and cuts the connection when the server begins to
 * answer. The answer proves that the whole request, which may continue after that chunk, has
 * arrived.
 */
final class CutBeforeReply implements Fault {
  private final FaultProxy proxy;
  private final Cut cut;
  private final StreamMatcher moment;
  private final Map<ProxyConnection, StreamMatcher.Scan> scans = new ConcurrentHashMap<>();
  private final AtomicReference<ProxyConnection> awaitingReply = new AtomicReference<>();

  CutBeforeReply(FaultProxy proxy, Cut cut, StreamMatcher moment) {
    this.proxy = proxy;
    this.cut = cut;
    this.moment = moment;
  }

  @Override
  public boolean carry(ProxyConnection connection, Direction direction, byte[] chunk)
      throws IOException {
    if (direction == Direction.TO_SERVER) {
      if (chunk.length > 0
          && scans.computeIfAbsent(connection, c -> moment.begin()).reachedWith(chunk)) {
        // Set before forwarding, because the answer may arrive before the next line runs.
        awaitingReply.compareAndSet(null, connection);
      }
    } else if (awaitingReply.get() == connection) {
      if (!proxy.replaceOnce(this)) {
        return false;
      }
      connection.cut(cut);
      return true;
    }
    connection.forward(direction, chunk);
    return true;
  }

  @Override
  public void replaced() {
    cut.cancel();
  }
}
