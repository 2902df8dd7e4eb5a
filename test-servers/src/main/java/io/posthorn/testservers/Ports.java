package io.posthorn.testservers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Free TCP ports on 127.0.0.1. */
public final class Ports {
  // Below Linux's range for outgoing connections (32768 and up). Otherwise, any client socket of
  // this machine could take the port of a server that is down for a while, and the server could not
  // come back.
  private static final int LOWEST = 15_000;
  private static final int BEYOND = 32_000;
  private static final int TRIES = 1_000;

  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  private Ports() {}

  /**
   * Returns a port on which nothing listens. One JVM never returns a port twice, so two servers
   * that start at the same time get different ones.
   */
  public static int free() {
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, BEYOND);
      if (GIVEN.add(port) && isFree(port)) {
        return port;
      }
    }
    throw new TestServerException(
        ("no free port between %d and %d on 127.0.0.1 in %d tries: is this JVM starting "
                + "servers in a loop without closing them?")
            .formatted(LOWEST, BEYOND, TRIES));
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(loopback(port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }
}
