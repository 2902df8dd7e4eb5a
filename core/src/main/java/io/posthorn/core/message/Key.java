package io.posthorn.core.message;

/**
 * Messages of one key keep their order. A key is the aggregate they tell about: its type and its
 * id.
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
