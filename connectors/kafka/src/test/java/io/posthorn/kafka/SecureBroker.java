package io.posthorn.kafka;

import io.posthorn.testservers.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * A broker as hostile as they come: TLS, passwords, nothing allowed that was not granted, and
 * topics made on mere mention. Users are {@code writer} and {@code stranger}; the plain port is the
 * administrator's.
 */
final class SecureBroker {
  static final String PASSWORD = "right \"one\"";
  private static final String STORE_PASSWORD = "changeit";
  private static SecureBroker shared;

  final EmbeddedKafka kafka;
  final Admin admin;
  private final Path trusted;
  private final Path other;

  /** The one that all tests of this JVM share. */
  static synchronized SecureBroker shared() throws IOException, InterruptedException {
    if (shared == null) {
      shared = new SecureBroker(Files.createTempDirectory(Path.of("target"), "keys"));
    }
    return shared;
  }

  private SecureBroker(Path directory) throws IOException, InterruptedException {
    Path own = directory.resolve("server.p12").toAbsolutePath();
    makeKey(own, "localhost");
    trusted = own;
    other = directory.resolve("other.p12").toAbsolutePath();
    makeKey(other, "other.example");
    kafka =
        EmbeddedKafka.builder()
            .listener("SECURE", "SASL_SSL")
            .setting("auto.create.topics.enable", "true")
            .setting(
                "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
            .setting("super.users", "User:ANONYMOUS")
            .setting("sasl.enabled.mechanisms", "PLAIN")
            .setting(
                "listener.name.secure.plain.sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required user_writer=\"right \\\"one\\\"\" user_stranger=\"right \\\"one\\\"\";")
            .setting("listener.name.secure.ssl.keystore.location", own.toString())
            .setting("listener.name.secure.ssl.keystore.type", "PKCS12")
            .setting("listener.name.secure.ssl.keystore.password", STORE_PASSWORD)
            .start();
    admin = Broker.admin(kafka);
  }

  /** What a program needs to trust this broker. */
  Map<String, String> trust() {
    return trust(trusted);
  }

  /** Trusts somebody else only. */
  Map<String, String> misplacedTrust() {
    return trust(other);
  }

  private static Map<String, String> trust(Path store) {
    return Map.of(
        "ssl.truststore.location",
        store.toString(),
        "ssl.truststore.type",
        "PKCS12",
        "ssl.truststore.password",
        STORE_PASSWORD);
  }

  String servers() {
    return kafka.bootstrapServers("SECURE").replace("127.0.0.1", "localhost");
  }

  void allowWriting(String user, String topic) {
    Broker.done(() -> admin.createAcls(List.of(writing(user, topic))).all());
  }

  void forbidWriting(String user, String topic) {
    Broker.done(() -> admin.deleteAcls(List.of(writing(user, topic).toFilter())).all());
  }

  private static AclBinding writing(String user, String topic) {
    return new AclBinding(
        new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
        new AccessControlEntry("User:" + user, "*", AclOperation.WRITE, AclPermissionType.ALLOW));
  }

  private static void makeKey(Path store, String host) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    line.addAll(List.of("-genkeypair", "-keystore", store.toString(), "-storetype", "PKCS12"));
    line.addAll(List.of("-storepass", STORE_PASSWORD, "-alias", "key", "-keyalg", "EC"));
    line.addAll(List.of("-dname", "CN=" + host, "-ext", "san=dns:" + host + ",ip:127.0.0.1"));
    if (new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        != 0) {
      throw new IOException("keytool failed");
    }
  }
}
