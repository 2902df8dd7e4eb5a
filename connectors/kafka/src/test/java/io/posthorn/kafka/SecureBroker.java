package io.posthorn.kafka;

import io.posthorn.testservers.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * A broker with strict security: TLS, passwords, and no access without a grant. It creates topics
 * automatically on any request for them. Users are {@code writer} and {@code stranger}; the plain
 * port is for the administrator. The listener SECURE takes plain passwords, SCRAM proofs of them,
 * and MUTUAL certificates.
 */
final class SecureBroker {
  static final String PASSWORD = "right \"one\"";
  private static final String STORE_PASSWORD = "changeit";
  private static SecureBroker shared;

  final EmbeddedKafka kafka;
  final Admin admin;
  private final Path trusted;
  private final Path other;
  private final Path authority;
  private final Path directoryOfKeys;

  /** Returns the broker that all tests of this JVM share. */
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
    directoryOfKeys = directory;
    authority = directory.resolve("authority.p12").toAbsolutePath();
    keytool(authority, "-alias", "ca", "-dname", "CN=authority", "-ext", "bc:c");
    kafka =
        EmbeddedKafka.builder()
            .listener("SECURE", "SASL_SSL")
            .setting("auto.create.topics.enable", "true")
            .setting(
                "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
            .setting("super.users", "User:ANONYMOUS")
            .listener("SCRAM", "SASL_SSL")
            .listener("MUTUAL", "SSL")
            .setting("listener.name.secure.sasl.enabled.mechanisms", "PLAIN")
            .setting("listener.name.scram.sasl.enabled.mechanisms", "SCRAM-SHA-512")
            .setting(
                "listener.name.scram.scram-sha-512.sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required;")
            // Connected clients must authenticate again regularly, so that a changed password takes
            // effect.
            .setting("listener.name.scram.scram-sha-512.connections.max.reauth.ms", "2000")
            .setting("listener.name.mutual.ssl.client.auth", "required")
            .setting("listener.name.mutual.ssl.truststore.location", authority.toString())
            .setting("listener.name.mutual.ssl.truststore.type", "PKCS12")
            .setting("listener.name.mutual.ssl.truststore.password", STORE_PASSWORD)
            .setting("ssl.keystore.location", own.toString())
            .setting("ssl.keystore.type", "PKCS12")
            .setting("ssl.keystore.password", STORE_PASSWORD)
            .setting(
                "listener.name.secure.plain.sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required "
                    + "user_writer=\"right \\\"one\\\"\" user_stranger=\"right \\\"one\\\"\";")
            .start();
    admin = Broker.admin(kafka);
  }

  /** The client settings with which a program trusts this broker. */
  Map<String, String> trust() {
    return trust(trusted);
  }

  /** The client settings with which a program trusts only another authority. */
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
    return servers("SECURE");
  }

  String servers(String listener) {
    return kafka.bootstrapServers(listener).replace("127.0.0.1", "localhost");
  }

  /** Sets a user's password for the listener SCRAM. */
  void scramPassword(String user, String password) {
    ScramCredentialInfo how = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096);
    Broker.done(
        () ->
            admin
                .alterUserScramCredentials(
                    List.of(new UserScramCredentialUpsertion(user, how, password)))
                .all());
  }

  /**
   * Creates a key store with a certificate from the authority that the listener MUTUAL trusts.
   *
   * @param validity options of keytool
   */
  Path clientKey(String user, String... validity) throws IOException, InterruptedException {
    Path store = Files.createTempDirectory(directoryOfKeys, "client").resolve("client.p12");
    Files.copy(authority, store);
    List<String> options = new ArrayList<>(List.of("-alias", "key", "-signer", "ca"));
    options.addAll(List.of("-dname", "CN=" + user));
    options.addAll(List.of(validity));
    keytool(store, options.toArray(String[]::new));
    keytool("-delete", store, "-alias", "ca");
    return store.toAbsolutePath();
  }

  /** The client settings with which a program trusts this broker and presents this key. */
  Map<String, String> showing(Path clientKey) {
    Map<String, String> settings = new HashMap<>(trust());
    settings.put("security.protocol", "SSL");
    settings.put("ssl.keystore.location", clientKey.toString());
    settings.put("ssl.keystore.type", "PKCS12");
    settings.put("ssl.keystore.password", STORE_PASSWORD);
    return settings;
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
    String names = "san=dns:" + host + ",ip:127.0.0.1";
    keytool(store, "-alias", "key", "-dname", "CN=" + host, "-ext", names);
  }

  private static void keytool(Path store, String... options)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-keyalg", "EC"));
    all.addAll(List.of(options));
    keytool("-genkeypair", store, all.toArray(String[]::new));
  }

  private static void keytool(String what, Path store, String... options)
      throws IOException, InterruptedException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    line.addAll(List.of(what, "-keystore", store.toString(), "-storetype", "PKCS12"));
    line.addAll(List.of("-storepass", STORE_PASSWORD));
    line.addAll(List.of(options));
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
