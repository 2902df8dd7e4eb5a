package io.posthorn.testservers;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Cuts the first connection that has carried this many bytes in one direction, exactly there. */
final class CutAfterBytes implements Fault {
  private final FaultProxy proxy;
  private final Cut cut;
  private final Direction watched;
  private final long bytes;
  private final Map<ProxyConnection, Long> carried = new ConcurrentHashMap<>();

  CutAfterBytes(FaultProxy proxy, Cut cut, Direction watched, long bytes) {
    this.proxy = proxy;
    this.cut = cut;
    this.watched = watched;
    this.bytes = bytes;
  }

  @Override
  public boolean carry(ProxyConnection connection, Direction direction, byte[] chunk)
      throws IOException {
    if (direction != watched) {
      connection.forward(direction, chunk);
      return true;
    }
    long before = carried.getOrDefault(connection, 0L);
    carried.put(connection, before + chunk.length);
    if (before + chunk.length < bytes) {
      connection.forward(direction, chunk);
      return true;
    }
    if (!proxy.replaceOnce(this)) {
      return false;
    }
    if (bytes > before) {
      connection.forward(direction, Arrays.copyOf(chunk, (int) (bytes - before)));
    }
    connection.cut(cut);
    return true;
  }

  @Override
  public void replaced() {
    cut.cancel();
  }
}
