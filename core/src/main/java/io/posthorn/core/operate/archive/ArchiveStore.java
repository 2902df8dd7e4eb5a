package io.posthorn.core.operate.archive;

import io.posthorn.core.operate.audit.Actor;
import java.util.List;
import java.util.UUID;

/** The side of a store that restores what was archived. */
public interface ArchiveStore {
  /**
   * An archive in tables of the same database. Messages and letters can be found there by SQL, and
   * no longer slow down the delivery.
   */
  Archive archiveTable();

  /**
   * Restores a part, audited, in one transaction. Nothing is sent.
   *
   * <p>Messages go into the archive's table, where they can be found. Dead letters become dead
   * letters again, with their attempts, and their retention starts again. What already exists stays
   * unchanged.
   *
   * @return the number of messages or letters that did not exist
   */
  int restore(Part part, Actor by);

  /**
   * Restores dead letters from {@link #archiveTable}. The table keeps them too.
   *
   * @return the number of letters that were in the table and not among the dead letters
   */
  int restoreFromTable(List<UUID> letters, Actor by);

  /** Returns letters in the archive's table in the order of their ids, after this one. */
  List<UUID> lettersInTable(UUID after, int limit);

  /**
   * Allows purges without this archive again. Once an archive was used, a purge without it removes
   * nothing; this call ends that rule. The content of the archive stays.
   *
   * @return false if no archive of this name was used
   */
  boolean forgetArchive(String name, Actor by);
}
