package io.posthorn.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** A range of IP addresses, written as {@code 10.0.0.0/8}. */
@SuppressWarnings("ArrayRecordComponent") // addresses are bytes
record Network(byte[] address, int bits) {
  private static final Pattern LITERAL = Pattern.compile("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

  /** Parses a network. Accepts only literals, so that it never asks a name server. */
  static Network of(String cidr) {
    int slash = cidr.indexOf('/');
    String host = slash < 0 ? cidr : cidr.substring(0, slash);
    if (!LITERAL.matcher(host).matches()) {
      throw new IllegalArgumentException(cidr);
    }
    try {
      byte[] address = InetAddress.getByName(host).getAddress();
      int all = address.length * 8;
      int bits = slash < 0 ? all : Integer.parseInt(cidr.substring(slash + 1));
      if (bits < 0 || bits > all) {
        throw new IllegalArgumentException(cidr);
      }
      return new Network(address, bits);
    } catch (UnknownHostException | NumberFormatException e) {
      throw new IllegalArgumentException(cidr, e);
    }
  }

  boolean contains(byte[] other) {
    if (other.length != address.length) {
      return false;
    }
    int whole = bits / 8;
    for (int i = 0; i < whole; i++) {
      if (other[i] != address[i]) {
        return false;
      }
    }
    int rest = bits % 8;
    int mask = 0xff << (8 - rest) & 0xff;
    return rest == 0 || (other[whole] & mask) == (address[whole] & mask);
  }
}
