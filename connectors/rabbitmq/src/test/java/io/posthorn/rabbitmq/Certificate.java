package io.posthorn.rabbitmq;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A key with its certificate and the authority that signed it, made by the JDK's keytool. Erlang
 * does not accept a self-signed client certificate.
 */
record Certificate(KeyStore store, java.security.cert.Certificate authority) {
  private static final String PASSWORD = "changeit";

  static Certificate of(Path directory, String host) throws Exception {
    Path file = Files.createTempDirectory(directory, "key").resolve("key.p12");
    keytool(file, "-alias", "ca", "-dname", "CN=authority of " + host, "-ext", "bc:c");
    keytool(
        file, "-alias", "key", "-signer", "ca", "-dname", "CN=" + host, "-ext", "san=dns:" + host);
    KeyStore store = KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
    Certificate certificate = new Certificate(store, store.getCertificate("ca"));
    store.deleteEntry("ca");
    return certificate;
  }

  private static void keytool(Path file, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-genkeypair", "-keyalg", "EC", "-keystore", file.toString()));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (process.waitFor() != 0) {
      throw new IOException("keytool failed: " + command);
    }
  }

  /** Presents this certificate, and trusts only the other's authority. */
  static SSLContext context(Certificate own, Certificate trusted) throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(own == null ? null : own.store, PASSWORD.toCharArray());
    KeyStore certificates = KeyStore.getInstance("PKCS12");
    certificates.load(null, null);
    certificates.setCertificateEntry("authority", trusted.authority);
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(certificates);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  /** Writes the certificate in the format that brokers read. */
  Path certificateFile(Path directory) throws Exception {
    return pem(directory, "CERTIFICATE", store.getCertificate("key").getEncoded());
  }

  Path authorityFile(Path directory) throws Exception {
    return pem(directory, "CERTIFICATE", authority.getEncoded());
  }

  Path keyFile(Path directory) throws IOException, GeneralSecurityException {
    return pem(directory, "PRIVATE KEY", store.getKey("key", PASSWORD.toCharArray()).getEncoded());
  }

  private static Path pem(Path directory, String what, byte[] content) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return Files.writeString(
        Files.createTempFile(directory, "tls", ".pem"),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(what, text, what));
  }
}
