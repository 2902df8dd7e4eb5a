package io.posthorn.core.store;

import java.util.UUID;

/**
 * One slice of keys of one destination, held by one relay. The token is random and new with every
 * grant: whoever settles must show the token the lane has now, so a relay that lost the lane
 * changes nothing.
 */
public record Lane(String destination, int number, UUID token) {
  @Override
  public String toString() {
    return destination + "#" + number;
  }
}
