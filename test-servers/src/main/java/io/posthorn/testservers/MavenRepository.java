package io.posthorn.testservers;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The directory that Maven keeps jars in, on the machine this runs on. */
final class MavenRepository {
  private static final Path OF_A_JAR = Path.of("org", "slf4j", "slf4j-api");

  private MavenRepository() {}

  /** Where a jar of this class path lies; without such a jar, where Maven has it by default. */
  static Path local() {
    CodeSource source = Logger.class.getProtectionDomain().getCodeSource();
    Path found = source == null ? null : holding(source.getLocation().toString());
    return found == null ? Path.of(System.getProperty("user.home"), ".m2", "repository") : found;
  }

  /** The repository that holds this jar of slf4j; none if it does not lie in one. */
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
