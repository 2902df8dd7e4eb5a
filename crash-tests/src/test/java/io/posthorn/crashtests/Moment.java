package io.posthorn.crashtests;

import io.posthorn.testservers.StreamMatcher;
import org.jspecify.annotations.Nullable;

/** Moments in what a client sends to PostgreSQL, with {@code prepareThreshold=0}. */
final class Moment {
  /** The whole text of a statement: "synchronous_commit" would contain the word alone. */
  private static final String COMMIT = "\u0000COMMIT\u0000";

  /** A commit that travels with the statement before it. */
  private static final String COMMIT_WITH = "/* posthorn: commit */";

  private Moment() {}

  /** The commit of the first transaction that has sent the statement of this name. */
  static StreamMatcher commitAfter(String statement) {
    return () -> new CommitAfter("/* posthorn: " + statement + " */");
  }

  /** The next commit of anything. */
  static StreamMatcher commit() {
    return () -> {
      StreamMatcher.Scan alone = StreamMatcher.token(COMMIT).begin();
      StreamMatcher.Scan with = StreamMatcher.token(COMMIT_WITH).begin();
      return chunk -> {
        boolean reached = alone.reachedWith(chunk);
        return with.reachedWith(chunk) || reached;
      };
    };
  }

  private static final class CommitAfter implements StreamMatcher.Scan {
    private final StreamMatcher.Scan statement;
    private StreamMatcher.@Nullable Scan commit;

    private CommitAfter(String statement) {
      this.statement = StreamMatcher.token(statement).begin();
    }

    @Override
    public boolean reachedWith(byte[] chunk) {
      if (commit == null && statement.reachedWith(chunk)) {
        commit = commit().begin();
      }
      return commit != null && commit.reachedWith(chunk);
    }
  }
}
