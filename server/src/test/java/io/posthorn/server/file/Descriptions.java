package io.posthorn.server.file;

import static java.util.Map.entry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What each key means: the Javadoc of its record component. */
final class Descriptions {
  private static final Pattern RECORD =
      Pattern.compile("/\\*\\*((?:(?!\\*/).)*)\\*/\\s*public record (\\w+)\\(", Pattern.DOTALL);
  private static final Pattern PARAM =
      Pattern.compile("@param (\\w+) ((?:(?!@param).)*)", Pattern.DOTALL);

  // In a file, other things hold than in Spring's properties.
  private static final Map<String, String> HERE =
      Map.ofEntries(
          entry(
              "DestinationProperties.sender",
              "the sender's name, which is the source in CloudEvents; default: the database's application with a leading slash"),
          entry(
              "DestinationProperties.kafka",
              "a topic; exactly one of kafka, rabbitmq and webhook is set"),
          entry("DestinationProperties.rabbitmq", "an exchange of RabbitMQ"),
          entry("DestinationProperties.webhook", "an HTTP endpoint that accepts Standard Webhooks"),
          entry("Kafka.partition", "the number of the only partition to use; default: by the key"),
          entry("Kafka.servers", "some of the cluster's brokers, as host:port"),
          entry("Rabbitmq.addresses", "host or host:port of one or more brokers of a cluster"),
          entry("Rabbitmq.virtualHost", "the exchange's virtual host; default: /"),
          entry("Rabbitmq.username", "user name; default: guest"),
          entry("Rabbitmq.password", "password of the user; default: guest"),
          entry("Rabbitmq.sslBundle", "TLS with this bundle of tls-bundles; default: no TLS"),
          entry(
              "Webhook.sslBundle",
              "the bundle of tls-bundles to use; default: the certificates that the JVM trusts"));

  private final Map<String, String> texts = new HashMap<>();

  Descriptions(Path root) throws IOException {
    Path ours = root.resolve("server/src/main/java/io/posthorn/server/file");
    Path makers =
        root.resolve("spring-boot-starter/common/src/main/java/io/posthorn/spring/connector");
    for (Path directory : new Path[] {ours, makers}) {
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
          read(file);
        }
      }
    }
  }

  private void read(Path file) throws IOException {
    // Sources have classes of the same name, such as Kafka; only destinations are in the file.
    if (file.getFileName().toString().startsWith("Source")) {
      return;
    }
    Matcher record = RECORD.matcher(Files.readString(file));
    while (record.find()) {
      String javadoc = record.group(1).replaceAll("\\n\\s*\\*", " ");
      Matcher param = PARAM.matcher(javadoc);
      while (param.find()) {
        texts.put(
            record.group(2) + "." + param.group(1), param.group(2).replaceAll("\\s+", " ").strip());
      }
    }
  }

  String of(Key key) {
    String name =
        key.component().getDeclaringRecord().getSimpleName() + "." + key.component().getName();
    String text = HERE.getOrDefault(name, texts.getOrDefault(name, ""));
    if (text.isEmpty() || text.contains("spring.")) {
      throw new AssertionError(
          name + " has no description for the server's file: write its @param, or add it to HERE");
    }
    // The page and the schema show what is required in a place of their own.
    return key.required() ? text.replaceFirst("; required$", "") : text;
  }
}
