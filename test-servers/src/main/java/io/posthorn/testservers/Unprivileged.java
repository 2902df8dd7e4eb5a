package io.posthorn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** How to run servers that refuse to run as root: PostgreSQL and PgBouncer both do. */
enum Unprivileged {
  /** This JVM is not root, so neither are its children. */
  AS_IS {
    @Override
    List<String> prefix() {
      return List.of();
    }
  },

  /**
   * Root, in a user namespace without any mapping. The server sees itself as "nobody", while its
   * files stay root's and need no change of owner.
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

  /** The words before the server's command line. */
  abstract List<String> prefix();

  /** Makes the server the owner of a directory that it writes to. */
  void giveTo(Path directory) {}

  /** Returns the way that this machine requires and allows. */
  static Unprivileged here() {
    return Here.VALUE;
  }

  private static final class Here {
    static final Unprivileged VALUE = find();

    private static Unprivileged find() {
      if (!isRoot()) {
        return AS_IS;
      }
      // Runs through the shell, which turns a missing program into a status instead of an
      // exception.
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
