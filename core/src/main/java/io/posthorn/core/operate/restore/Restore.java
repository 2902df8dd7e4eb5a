package io.posthorn.core.operate.restore;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.audit.Actor;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Puts a database back into service after it was restored, copied or upgraded. A relay refuses to
 * send from such a database: the original may have sent the same messages, or the stored progress
 * counts transactions of another server. With this class a person decides. Both changes are
 * audited.
 */
public final class Restore {
  /** The prefix of the environment of a fenced database. No relay may use such a name. */
  public static final String FENCED = "fenced: ";

  private static final int LONGEST = 200;

  /** How many entries of journals are compared at once. */
  private static final int PAGE = 1_000;

  private final RestoreStore store;

  private Restore(RestoreStore store) {
    this.store = store;
  }

  /** Works on the database of this store. */
  public static Restore on(RestoreStore store) {
    return new Restore(store);
  }

  /** Returns what you need to know before you adopt the database. It changes nothing. */
  public Adoption preview() {
    return store.adoption();
  }

  /**
   * Lets relays of this environment deliver from this database.
   *
   * @param environment the environment that its relays are configured with
   * @return what the database contained when it was adopted
   */
  public Adoption adopt(String environment, Adopt how, Actor by) {
    if (environment.isBlank()
        || environment.length() > LONGEST
        || environment.startsWith(FENCED.strip())) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "the database was not adopted: '%s' is not a valid name of an environment. Use the name that its relays are configured with, of at most %d characters."
              .formatted(environment, LONGEST));
    }
    return store.adopt(environment, how, by);
  }

  /**
   * Keeps relays from sending from this database until it is adopted. Scripts that copy a database
   * call it on the copy.
   *
   * @return false if the database was already fenced
   */
  public boolean fence(Actor by) {
    return store.fence(by);
  }

  /**
   * Finds messages that relays sent and that this database does not know: ghosts. A failover to a
   * server that lacked the last transactions leaves them behind. Their receivers acted on changes
   * that no longer exist, so a person must decide what to do about each.
   *
   * @param journals the directory of the relays' {@link SentJournal}s
   * @param since what was sent before is not looked at; at most as long ago as sent messages are
   *     kept, since older ones are removed from the log
   * @param found receives each ghost, once for each destination and attempt
   * @return how many entries of the journals were compared
   */
  public long ghosts(Path journals, Instant since, Consumer<SentJournal.Entry> found) {
    List<SentJournal.Entry> page = new ArrayList<>();
    long[] compared = {0};
    SentJournal.read(
        journals,
        since,
        entry -> {
          page.add(entry);
          compared[0]++;
          if (page.size() == PAGE) {
            compare(page, found);
          }
        });
    compare(page, found);
    return compared[0];
  }

  private void compare(List<SentJournal.Entry> page, Consumer<SentJournal.Entry> found) {
    if (!page.isEmpty()) {
      Set<UUID> ids = page.stream().map(SentJournal.Entry::message).collect(Collectors.toSet());
      Set<UUID> unknown = store.unknown(ids);
      page.stream().filter(entry -> unknown.contains(entry.message())).forEach(found);
      page.clear();
    }
  }
}
