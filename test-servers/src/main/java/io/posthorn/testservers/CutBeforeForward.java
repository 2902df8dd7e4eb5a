package io.posthorn.testservers;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Cuts the connection that reaches the moment, and discards the chunk that contains it. */
final class CutBeforeForward implements Fault {
  private final FaultProxy proxy;
  private final Cut cut;
  private final StreamMatcher moment;
  private final Map<ProxyConnection, StreamMatcher.Scan> scans = new ConcurrentHashMap<>();

  CutBeforeForward(FaultProxy proxy, Cut cut, StreamMatcher moment) {
    this.proxy = proxy;
    this.cut = cut;
    this.moment = moment;
  }

  @Override
  public boolean carry(ProxyConnection connection, Direction direction, byte[] chunk)
      throws IOException {
    if (direction == Direction.TO_SERVER
        && chunk.length > 0
        && scans.computeIfAbsent(connection, c -> moment.begin()).reachedWith(chunk)) {
      if (!proxy.replaceOnce(this)) {
        return false;
      }
      connection.cut(cut);
    } else {
      connection.forward(direction, chunk);
    }
    return true;
  }

  @Override
  public void replaced() {
    cut.cancel();
  }
}
