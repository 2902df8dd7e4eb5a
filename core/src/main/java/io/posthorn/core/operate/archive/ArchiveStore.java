package io.posthorn.core.operate.archive;

import io.posthorn.core.operate.audit.Actor;
import java.util.List;
import java.util.UUID;

/** The side of a store that takes back what was archived. */
public interface ArchiveStore {
  /**
   * An archive in tables of the same database: messages and letters can be found there by SQL, and
   * no longer cost anything where messages are delivered.
   */
  Archive archiveTable();

  /**
   * Takes a part back, in one transaction, audited. Messages go into the archive's table, where
   * they can be found; nothing is sent. Dead letters become dead letters again, as they were and
   * with their attempts, and their time begins anew. What is there already stays as it is.
   *
   * @return how many were not there
   */
  int restore(Part part, Actor by);

  /**
   * Takes dead letters back that were archived in {@link #archiveTable}, in the same way; the table
   * keeps them, too.
   *
   * @return how many were in the table and not among the dead letters
   */
  int restoreFromTable(List<UUID> letters, Actor by);

  /** Letters in the archive's table in the order of their ids, after this one. */
  List<UUID> lettersInTable(UUID after, int limit);

  /**
   * Once an archive was used, whoever purges without one removes nothing. This ends that; what is
   * in the archive stays. False if no archive of this name was used.
   */
  boolean forgetArchive(String name, Actor by);
}
