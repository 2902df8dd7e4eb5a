package io.posthorn.webhook;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import org.apache.hc.client5.http.DnsResolver;

/**
 * Resolves a host, and returns its addresses only if all of them are allowed.
 *
 * <p>The client connects to the returned addresses and never resolves again. A name server that
 * changes its answer between check and connection therefore achieves nothing.
 */
final class GuardedResolver implements DnsResolver {
  private final DnsResolver names;
  private final NetworkGuard guard;

  GuardedResolver(DnsResolver names, NetworkGuard guard) {
    this.names = names;
    this.guard = guard;
  }

  @Override
  public InetAddress[] resolve(String host) throws UnknownHostException {
    InetAddress[] addresses = names.resolve(host);
    if (addresses == null || addresses.length == 0) {
      throw new UnknownHostException(host);
    }
    for (InetAddress address : addresses) {
      if (!guard.allows(address)) {
        throw new ForbiddenAddressException(host, address);
      }
    }
    return addresses;
  }

  @Override
  public List<InetSocketAddress> resolve(String host, int port) throws UnknownHostException {
    return Arrays.stream(resolve(host)).map(each -> new InetSocketAddress(each, port)).toList();
  }

  @Override
  public String resolveCanonicalHostname(String host) {
    return host;
  }

  /** A host has an address in a network that webhooks must not reach. */
  static final class ForbiddenAddressException extends UnknownHostException {
    private static final long serialVersionUID = 1L;

    ForbiddenAddressException(String host, InetAddress address) {
      super(
          "host '%s' has the address %s, which is not public. To deliver there, allow its network: allowNetworks in Java, webhook.allow-networks as a property."
              .formatted(host, address.getHostAddress()));
    }
  }
}
