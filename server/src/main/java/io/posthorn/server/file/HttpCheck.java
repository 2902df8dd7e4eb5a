package io.posthorn.server.file;

import io.posthorn.api.access.Role;
import io.posthorn.api.security.Grants;
import io.posthorn.api.security.Passwords;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/** Checks the part of the file about the HTTP API. */
final class HttpCheck {
  private static final String HTTP = "http";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.@-]{0,99}");
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

  private final FileCheck.Checked parts;
  private final BiConsumer<String, String> report;

  /**
   * Creates the check.
   *
   * @param report receives the path and the text of each problem
   */
  HttpCheck(FileCheck.Checked parts, BiConsumer<String, String> report) {
    this.parts = parts;
    this.report = report;
  }

  void check() {
    HttpSettings http = parts.part(HTTP, HttpSettings.class);
    if (http == null) {
      return;
    }
    bundle(http);
    http.users()
        .forEach(
            (name, user) -> {
              String at = HTTP + ".users." + name;
              name(at, name);
              if (!Passwords.isHash(user.passwordHash())) {
                report.accept(
                    at + ".password-hash",
                    "is no hash of a password: run 'posthorn server hash-password', and write what it prints");
              }
              roles(at, user.roles());
            });
    http.tokens()
        .forEach(
            (name, token) -> {
              String at = HTTP + ".tokens." + name;
              name(at, name);
              if (!HASH.matcher(token.tokenHash()).matches()) {
                report.accept(
                    at + ".token-hash",
                    "is no hash of a token: run 'posthorn server token', and write the hash that it prints");
              }
              if (!RolesText.isTime(token.expires())) {
                report.accept(
                    at + ".expires",
                    "is neither a day such as 2027-01-31 nor a time such as 2027-01-31T10:00:00Z");
              }
              roles(at, token.roles());
            });
    http.masks()
        .forEach(
            (name, mask) -> {
              if (!mask.pointer().startsWith("/")) {
                report.accept(
                    HTTP + ".masks." + name + ".pointer",
                    "is no JSON pointer: begin it with a slash, for example /customer/card");
              }
            });
  }

  private void name(String at, String name) {
    if (!NAME.matcher(name).matches()) {
      report.accept(
          at,
          "a name begins with a letter or digit and has at most 100 letters, digits and . _ @ -");
    }
  }

  private void roles(String at, Map<String, String> roles) {
    Set<String> databases = new TreeSet<>(parts.below("databases"));
    roles.forEach(
        (database, text) -> {
          String path = at + ".roles." + database;
          if (!database.equals(Grants.EVERYWHERE) && !databases.contains(database)) {
            report.accept(
                path, "there is no such database. " + Nearest.suggestion(database, databases));
          }
          if (!RolesText.areRoles(text)) {
            report.accept(
                path,
                "must be one or more of %s, separated by commas"
                    .formatted(Values.names(Role.class)));
          }
        });
  }

  private void bundle(HttpSettings http) {
    String bundle = http.tlsBundle();
    if (bundle == null) {
      return;
    }
    String at = "tls-bundles." + bundle;
    ServerFile.TlsBundle known = parts.part(at, ServerFile.TlsBundle.class);
    if (!parts.places().containsKey(at) || (known != null && known.certificate() == null)) {
      report.accept(
          HTTP + ".tls-bundle",
          "'%s' is no bundle with a certificate: add it to tls-bundles, with certificate and private-key"
              .formatted(bundle));
    }
  }
}
