package io.posthorn.server.file;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

/** The file's certificates, as Spring's bundles. */
final class TlsBundles {
  private TlsBundles() {}

  static SslBundles of(Map<String, ServerFile.TlsBundle> bundles) {
    DefaultSslBundleRegistry registry = new DefaultSslBundleRegistry();
    bundles.forEach((name, bundle) -> registry.registerBundle(name, bundle(bundle)));
    return registry;
  }

  /** Returns what is wrong with it; its files are read. */
  static Optional<String> problem(ServerFile.TlsBundle bundle) {
    if (bundle.trust() == null && bundle.certificate() == null) {
      return Optional.of("has neither trust nor certificate: set one of them");
    }
    if ((bundle.certificate() == null) != (bundle.privateKey() == null)) {
      return Optional.of("certificate and private-key go together: set both or none");
    }
    Optional<String> missing =
        Stream.of(bundle.trust(), bundle.certificate(), bundle.privateKey())
            .filter(java.util.Objects::nonNull)
            .filter(file -> !Files.isReadable(Path.of(file)))
            .findFirst();
    if (missing.isPresent()) {
      return Optional.of("the file %s cannot be read".formatted(missing.get()));
    }
    try {
      bundle(bundle).createSslContext();
      return Optional.empty();
    } catch (RuntimeException e) {
      // Its text may quote the file, which may be a key.
      return Optional.of(
          "its files are not certificates and keys in PEM, or the password is wrong");
    }
  }

  private static SslBundle bundle(ServerFile.TlsBundle bundle) {
    PemSslStoreDetails trust =
        bundle.trust() == null ? null : PemSslStoreDetails.forCertificate(file(bundle.trust()));
    PemSslStoreDetails keys =
        bundle.certificate() == null
            ? null
            : PemSslStoreDetails.forCertificate(file(bundle.certificate()))
                .withPrivateKey(file(bundle.privateKey()))
                .withPrivateKeyPassword(bundle.privateKeyPassword());
    return SslBundle.of(new PemSslStoreBundle(keys, trust));
  }

  private static @Nullable String file(@Nullable String name) {
    return name == null ? null : Path.of(name).toUri().toString();
  }
}
