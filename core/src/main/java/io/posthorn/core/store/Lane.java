package io.posthorn.core.store;

import java.util.UUID;

/**
 * One slice of the keys of one destination, held by one relay.
 *
 * @param token random, and new with every grant. A settle must bring the lane's current token, so a
 *     relay that has lost the lane can change nothing
 */
public record Lane(String destination, int number, UUID token) {
  @Override
  public String toString() {
    return destination + "#" + number;
  }
}
