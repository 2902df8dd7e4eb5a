package io.posthorn.demo;

/**
 * The delivery of a message to a destination.
 *
 * @param pid the process of the relay that delivered it
 * @param at milliseconds since 1970
 * @param latency milliseconds since the message was added
 */
record Sighting(String destination, OrderChanged change, long pid, long at, long latency) {

  String line() {
    return String.join(
        " ",
        destination,
        change.order(),
        Long.toString(change.version()),
        Boolean.toString(change.doomed()),
        Long.toString(pid),
        Long.toString(at),
        Long.toString(latency));
  }

  static Sighting of(String line) {
    String[] parts = line.split(" ");
    return new Sighting(
        parts[0],
        new OrderChanged(parts[1], Long.parseLong(parts[2]), Boolean.parseBoolean(parts[3])),
        Long.parseLong(parts[4]),
        Long.parseLong(parts[5]),
        Long.parseLong(parts[6]));
  }
}
