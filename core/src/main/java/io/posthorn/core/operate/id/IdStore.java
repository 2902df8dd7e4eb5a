package io.posthorn.core.operate.id;

import java.util.List;
import java.util.UUID;

/** The side of a store that looks ids up by their beginning. */
public interface IdStore {
  /**
   * Returns the ids that begin so, in ascending order and each once. The cost depends on how many
   * are returned, not on how many there are.
   *
   * @param most the most ids to return
   */
  List<UUID> ids(IdKind kind, IdPrefix prefix, int most);
}
