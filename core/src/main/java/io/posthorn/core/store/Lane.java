package io.posthorn.core.store;

import java.util.UUID;

/**
 * One slice of the keys of one destination, held by one relay.
 *
 * @param token random, and new with every grant. A settle must bring the lane's current token, so a
 *     relay that has lost the lane can change nothing
 * @param of how many lanes the destination has. The number does not change while any of them is
 *     held
 */
public record Lane(String destination, int number, UUID token, int of) {
  /** The only lane of a destination. */
  public Lane(String destination, int number, UUID token) {
    this(destination, number, token, 1);
  }

  @Override
  public String toString() {
    return destination + "#" + number;
  }
}
