package io.posthorn.core.operate.archive;

/**
 * Keeps messages and dead letters that are about to be removed. The store records in its own
 * database how far each archive is, so an archive only has to keep what it is given.
 */
public interface Archive {
  /** No archive: what is removed is lost. */
  Archive NONE =
      new Archive() {
        @Override
        public String name() {
          return "";
        }

        @Override
        public void append(Part part) {}
      };

  /** The name that the store knows the archive by. Another name means another, empty archive. */
  String name();

  /**
   * Keeps the part, and returns only when the part would survive a crash. The same part may be
   * appended again, after a crash or by another process at the same time; keep it once.
   *
   * @throws io.posthorn.core.error.PosthornException if the part was not kept; nothing is then
   *     removed
   */
  void append(Part part);
}
