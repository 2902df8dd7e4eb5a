package io.posthorn.server.database;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** The relay's name in logs and in {@code posthorn status}. */
final class RelayName {
  private RelayName() {}

  static String of(@Nullable String configured) {
    if (configured != null) {
      return configured;
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "relay-" + ProcessHandle.current().pid();
    }
  }
}
