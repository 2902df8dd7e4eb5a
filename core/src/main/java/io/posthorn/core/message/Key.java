package io.posthorn.core.message;

/**
 * The aggregate that a message is about: its type and its id. Messages of one key are delivered in
 * the order in which they were added.
 *
 * @param aggregateType for example {@code Order}
 * @param id the id of the aggregate, for example {@code 4711}
 */
public record Key(String aggregateType, String id) {
  public static Key of(String aggregateType, String id) {
    return new Key(aggregateType, id);
  }

  @Override
  public String toString() {
    return aggregateType + "/" + id;
  }
}
