package io.posthorn.webhook;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * Tells public addresses from internal ones, which a webhook must not reach.
 *
 * <p>Internal are private, loopback, link-local (which includes the metadata services of clouds),
 * shared, multicast and reserved addresses, and those that contain an IPv4 address.
 */
final class NetworkGuard {
  private static final List<Network> FORBIDDEN =
      networks(
          "0.0.0.0/8",
          "10.0.0.0/8",
          "100.64.0.0/10",
          "127.0.0.0/8",
          "168.63.129.16/32", // Azure's internal services, although the address is a public one
          "169.254.0.0/16",
          "172.16.0.0/12",
          "192.0.0.0/24",
          "192.0.2.0/24",
          "192.88.99.0/24",
          "192.168.0.0/16",
          "198.18.0.0/15",
          "198.51.100.0/24",
          "203.0.113.0/24",
          "224.0.0.0/4",
          "240.0.0.0/4",
          // within 2000::/3
          "2001::/23",
          "2001:db8::/32",
          "2002::/16",
          "3fff::/20");

  /** The only IPv6 range from which public addresses are assigned. */
  private static final Network GLOBAL = Network.of("2000::/3");

  private final List<Network> allowed;

  NetworkGuard(List<String> allowed) {
    this.allowed = networks(allowed.toArray(String[]::new));
  }

  boolean allows(InetAddress candidate) {
    byte[] address = candidate.getAddress();
    if (allowed.stream().anyMatch(network -> network.contains(address))) {
      return true;
    }
    boolean assigned = address.length == 4 || GLOBAL.contains(address);
    return assigned && FORBIDDEN.stream().noneMatch(network -> network.contains(address));
  }

  private static List<Network> networks(String... cidrs) {
    return Stream.of(cidrs).map(Network::of).toList();
  }
}
