package io.posthorn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** How a server that refuses to run as root is run: PostgreSQL and PgBouncer both do. */
enum Unprivileged {
  /** This JVM is not root, so neither are its children. */
  AS_IS {
    @Override
    List<String> prefix() {
      return List.of();
    }
  },

  /**
   * Root, in a user namespace that maps nobody: the server believes to be "nobody", while its files
   * stay root's and need no change of owner.
   */
  USER_NAMESPACE {
    @Override
    List<String> prefix() {
      return List.of("unshare", "-U");
    }
  },

  /** Root where user namespaces are forbidden, as in many containers: become "nobody" for real. */
  NOBODY {
    @Override
    List<String> prefix() {
      return List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
    }

    @Override
    void giveTo(Path directory) {
      if (Processes.run(List.of("chown", "-R", "65534:65534", directory.toString())) != 0) {
        throw new TestServerException(
            "could not give " + directory + " to 'nobody'; run as another user than root instead");
      }
    }
  };

  /** Comes before the command line of the server. */
  abstract List<String> prefix();

  /** Makes the server the owner of a directory it has to write to. */
  void giveTo(Path directory) {}

  /** What this machine needs and allows. */
  static Unprivileged here() {
    return Here.VALUE;
  }

  private static final class Here {
    static final Unprivileged VALUE = find();

    private static Unprivileged find() {
      if (!isRoot()) {
        return AS_IS;
      }
      // Through the shell, for which a missing program is a status and no exception.
      boolean allowed = Processes.run(List.of("sh", "-c", "unshare -U true")) == 0;
      return allowed ? USER_NAMESPACE : NOBODY;
    }

    private static boolean isRoot() {
      try {
        return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
