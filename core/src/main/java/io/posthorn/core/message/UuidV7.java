package io.posthorn.core.message;

import java.security.SecureRandom;
import java.util.UUID;

/** Ids that contain their time of creation (RFC 9562, version 7), so they sort roughly by age. */
final class UuidV7 {
  private static final SecureRandom RANDOM = new SecureRandom();

  private UuidV7() {}

  static UUID at(long epochMillis) {
    long high = (epochMillis << 16) | 0x7000L | (RANDOM.nextInt() & 0x0FFFL);
    long low = (RANDOM.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
    return new UUID(high, low);
  }
}
