package io.posthorn.testservers;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Finds the local Maven repository on this machine. */
final class MavenRepository {
  private static final Path OF_A_JAR = Path.of("org", "slf4j", "slf4j-api");

  private MavenRepository() {}

  /** Returns the repository of this class path's jars, or else Maven's default. */
  static Path local() {
    CodeSource source = Logger.class.getProtectionDomain().getCodeSource();
    Path found = source == null ? null : holding(source.getLocation().toString());
    return found == null ? Path.of(System.getProperty("user.home"), ".m2", "repository") : found;
  }

  /** Returns the repository that contains this jar of slf4j, or null if none does. */
  static @Nullable Path holding(String jarUrl) {
    try {
      Path version = Path.of(new URI(jarUrl)).getParent();
      Path artifact = version == null ? null : version.getParent();
      if (artifact == null || !artifact.endsWith(OF_A_JAR)) {
        return null;
      }
      Path root = artifact.getRoot();
      Path names = artifact.subpath(0, artifact.getNameCount() - OF_A_JAR.getNameCount());
      return root == null ? names : root.resolve(names);
    } catch (URISyntaxException | IllegalArgumentException e) {
      return null;
    }
  }
}
