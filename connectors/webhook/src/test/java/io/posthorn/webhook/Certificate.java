package io.posthorn.webhook;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A key with its self-signed certificate, made by the JDK's keytool. */
record Certificate(KeyStore store) {
  private static final String PASSWORD = "changeit";

  static Certificate of(Path directory, String host) throws Exception {
    Path file = Files.createTempDirectory(directory, "key").resolve("key.p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    Process process =
        new ProcessBuilder(
                keytool,
                "-genkeypair",
                "-alias",
                "key",
                "-keyalg",
                "EC",
                "-keystore",
                file.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-dname",
                "CN=" + host,
                "-ext",
                "san=dns:" + host)
            .inheritIO()
            .start();
    if (process.waitFor() != 0) {
      throw new IOException("keytool failed");
    }
    return new Certificate(KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray()));
  }

  /** Presents this certificate, and trusts only the other. */
  static SSLContext context(Certificate own, Certificate trusted) throws GeneralSecurityException {
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(own == null ? null : own.store, PASSWORD.toCharArray());
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted == null ? null : trusted.trustStore());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private KeyStore trustStore() throws GeneralSecurityException {
    try {
      KeyStore certificates = KeyStore.getInstance("PKCS12");
      certificates.load(null, null);
      certificates.setCertificateEntry("key", store.getCertificate("key"));
      return certificates;
    } catch (IOException e) {
      throw new GeneralSecurityException(e);
    }
  }
}
