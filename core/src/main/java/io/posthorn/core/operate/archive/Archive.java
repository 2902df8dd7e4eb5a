package io.posthorn.core.operate.archive;

/**
 * Keeps what is about to be removed. A store writes down in its own database how far it has come
 * with each archive, so an archive need only keep what it is given.
 */
public interface Archive {
  /** No archive: what is removed is gone. */
  Archive NONE =
      new Archive() {
        @Override
        public String name() {
          return "";
        }

        @Override
        public void append(Part part) {}
      };

  /** What the store remembers it by; another name is another archive, which has nothing yet. */
  String name();

  /**
   * Keeps the part, and returns only when it would survive a crash. The same part may come again,
   * after a crash or from another process at the same time; it is kept once.
   *
   * @throws io.posthorn.core.error.PosthornException if it was not kept; then nothing is removed
   */
  void append(Part part);
}
