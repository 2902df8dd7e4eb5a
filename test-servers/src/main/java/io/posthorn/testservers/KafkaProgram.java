package io.posthorn.testservers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Kafka's programs, each in its own JVM. Their class path differs from this JVM's: the build
 * resolves it and writes it, relative to the local Maven repository, into the resource {@code
 * /kafka/classpath}.
 */
final class KafkaProgram {
  /** The line in the log that shows that requests are accepted. */
  static final String STARTED_LINE = "Kafka Server started";

  // A small heap is enough for tests.
  private static final List<String> OPTIONS =
      List.of(
          "-Xmx384m",
          "-XX:+UseSerialGC",
          "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
          "-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info");

  private KafkaProgram() {}

  /** Starts a program; appends its output to this file. */
  static Process run(Path log, String mainClass, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(OPTIONS);
    command.add("-cp");
    command.add(classPath());
    command.add(mainClass);
    command.addAll(List.of(arguments));
    return ChildProcess.start(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())));
  }

  static String resolved(String written, Path repository) {
    List<String> jars = new ArrayList<>();
    for (String jar : written.split(":")) {
      Path file = Path.of(jar.replace("@repository@", repository.toString()));
      if (!Files.exists(file)) {
        throw new TestServerException(
            "Kafka cannot run: %s is not there. Build test-servers with Maven, which fetches it."
                .formatted(file));
      }
      jars.add(file.toString());
    }
    return String.join(File.pathSeparator, jars);
  }

  private static String classPath() {
    try (InputStream in = KafkaProgram.class.getResourceAsStream("/kafka/classpath")) {
      if (in == null) {
        throw new TestServerException(
            "Kafka's class path is not there: build test-servers with Maven, which writes it");
      }
      return resolved(new String(in.readAllBytes(), UTF_8).strip(), MavenRepository.local());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
