package io.posthorn.cli.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.cli.OnDatabase;
import io.posthorn.cli.Posthorn;
import io.posthorn.cli.Ran;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.PostgresqlStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Where the database, the role and the password come from. */
class ConnectionTest extends OnDatabase {
  private static final String NOWHERE = "jdbc:postgresql://127.0.0.1:1/nowhere";

  private final Map<String, String> variables = new HashMap<>();
  @TempDir private Path home;

  @BeforeEach
  void oneDestination() {
    PostgresqlStore.on(dataSource)
        .register("shop", List.of(new ServedDestination("mail", Set.of("*"))));
  }

  private Ran posthorn(String... args) {
    return Ran.posthorn(variables, home, args);
  }

  private void profiles(String mode, String... lines) throws IOException {
    Path file = home.resolve(".config/posthorn/profiles.properties");
    Files.createDirectories(file.getParent());
    Files.write(file, List.of(lines));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  private void assertMail(Ran ran) {
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).contains("mail");
    assertThat(ran.code()).isZero();
  }

  @Test
  void without_a_database_the_error_says_where_it_was_looked_for() throws IOException {
    Ran nothing = posthorn("status");
    assertThat(nothing.code()).isEqualTo(2);
    assertThat(nothing.err())
        .contains("--url", "--profile", "POSTHORN_URL", "POSTHORN_PROFILE")
        .contains("no profiles file " + home.resolve(".config/posthorn/profiles.properties"));
    profiles("rw-r--r--", "staging.url=" + url, "local.url=" + url);
    assertThat(posthorn("status").err()).contains("has: local, staging");
  }

  @Test
  void the_address_comes_from_an_option_a_profile_or_a_variable() throws IOException {
    profiles("rw-r--r--", "here.url = " + url, "there.url = " + NOWHERE);
    assertMail(posthorn("status", "--url", url));
    assertMail(posthorn("status", "--profile", "here"));
    variables.put("POSTHORN_PROFILE", "here");
    assertMail(posthorn("status"));
    variables.put("POSTHORN_URL", NOWHERE);
    assertThat(posthorn("status").err()).contains(NOWHERE, "address from POSTHORN_URL");
    assertMail(posthorn("status", "--profile", "here"));
    assertMail(posthorn("status", "--url", url));
    variables.put("POSTHORN_URL", url);
    variables.put("POSTHORN_PROFILE", "there");
    assertMail(posthorn("status"));
    assertThat(posthorn("status", "--profile", "there").err())
        .contains(NOWHERE, "address from profile 'there'");
    assertThat(posthorn("status", "--profile", "here", "--url", url).err())
        .contains("either --url or --profile");
  }

  @Test
  void the_role_and_the_password_come_from_the_first_place_that_has_them() throws IOException {
    profiles("rw-------", "p.url=" + NOWHERE, "p.user=anna", "p.password=s3cret");
    variables.put("POSTHORN_USER", "ben");
    variables.put("POSTHORN_PASSWORD", "s3cret");
    variables.put("PGPASSWORD", "s3cret");
    assertThat(posthorn("status", "--profile", "p").err())
        .contains("as anna", "role from profile 'p'", "password from profile 'p'")
        .doesNotContain("s3cret");
    assertThat(posthorn("status", "--profile", "p", "--user", "carl", "--password=s3cret").err())
        .contains("as carl", "role from --user", "password from --password")
        .doesNotContain("s3cret");
    assertThat(posthorn("status", "--url", NOWHERE).err())
        .contains("as ben", "role from POSTHORN_USER", "password from POSTHORN_PASSWORD");
    variables.remove("POSTHORN_USER");
    variables.remove("POSTHORN_PASSWORD");
    assertThat(posthorn("status", "--url", NOWHERE).err())
        .contains("role not given", "password from PGPASSWORD");
    variables.put("SECRET", "s3cret");
    assertThat(posthorn("status", "--url", NOWHERE, "--password-env", "SECRET").err())
        .contains("password from the variable SECRET of --password-env");
  }

  @Test
  void a_profiles_file_with_a_password_is_private() throws IOException {
    profiles("rw-r--r--", "p.url=" + url, "p.password=s3cret");
    Ran refused = posthorn("status", "--profile", "p");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err())
        .contains("chmod 600 " + home.resolve(".config/posthorn/profiles.properties"))
        .doesNotContain("s3cret");
    profiles("rw-------", "p.url=" + url, "p.password=s3cret");
    assertMail(posthorn("status", "--profile", "p"));
  }

  @Test
  void a_profiles_file_with_a_password_in_an_address_is_private() throws IOException {
    for (String address :
        List.of(
            NOWHERE + "?ssl=true&password=s3cret",
            NOWHERE + "?sslpassword=s3cret",
            "jdbc:postgresql://anna:s3cret@127.0.0.1:1/nowhere")) {
      profiles("rw-r--r--", "p.url=" + url, "q.url=" + address);
      assertThat(posthorn("status", "--profile", "p").err())
          .contains("chmod 600 " + home.resolve(".config/posthorn/profiles.properties"))
          .doesNotContain("s3cret");
      profiles("rw-------", "p.url=" + url, "q.url=" + address);
      assertMail(posthorn("status", "--profile", "p"));
    }
  }

  @Test
  void what_is_wrong_in_the_profiles_is_named() throws IOException {
    profiles("rw-r--r--", "p.url=" + url, "p.protect=true");
    assertThat(posthorn("status", "--profile", "p").err()).contains("p.protect", "protected");
    profiles("rw-r--r--", "p.url=" + url, "p.protected=yes");
    assertThat(posthorn("status", "--profile", "p").err()).contains("'yes'", "true or false");
    profiles("rw-r--r--", "p.user=anna");
    assertThat(posthorn("status", "--profile", "p").err()).contains("add p.url");
    assertThat(posthorn("status", "--profile", "x").err()).contains("no profile 'x'", "has: p");
    variables.put("POSTHORN_PROFILES", home.resolve("other").toString());
    assertThat(posthorn("status", "--profile", "p").err()).contains("no profiles file " + home);
  }

  @Test
  void a_profile_names_the_tables() throws IOException {
    profiles("rw-r--r--", "p.url=" + url, "p.schema=shop", "p.prefix=out_");
    assertThat(posthorn("schema", "migrate", "--profile", "p").out()).contains("shop.out_*");
    assertThat(posthorn("destinations", "list", "--profile", "p").out()).doesNotContain("mail");
    assertThat(
            posthorn("destinations", "list", "--profile=p", "--schema=public", "--prefix=posthorn_")
                .out())
        .contains("mail");
  }

  @Test
  void a_change_with_a_protected_profile_needs_its_name() throws IOException {
    profiles("rw-r--r--", "production.url=" + url, "production.protected=true");
    String[] pause = {"destinations", "pause", "mail", "--why", "x", "--profile", "production"};
    Ran refused = posthorn(pause);
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("'production' is protected", "--confirm production");
    assertThat(posthorn(with(pause, "--confirm", "staging")).err()).contains("was not confirmed");
    assertThat(out("destinations", "pauses")).contains("nothing is paused");
    assertMail(posthorn("destinations", "list", "--profile", "production"));
    assertMail(posthorn(with(pause, "--confirm", "production")));
    assertThat(out("destinations", "pauses")).contains("mail");
    assertThat(posthorn("schema", "migrate", "--profile", "production").err())
        .contains("protected");
    assertThat(posthorn("retention", "run", "--profile", "production").err()).contains("protected");
  }

  private static String[] with(String[] args, String... more) {
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  /** An audited change has --why, so a new command cannot forget to ask. */
  @Test
  void every_command_with_a_reason_asks_on_a_protected_profile() {
    List<String> changing = new ArrayList<>();
    PrintWriter nobody = new PrintWriter(new StringWriter());
    collect(Posthorn.commandLine(nobody, nobody).getCommandSpec(), changing);
    assertThat(changing).hasSizeGreaterThan(20);
  }

  private static void collect(CommandSpec command, List<String> changing) {
    if (command.findOption("--why") != null) {
      changing.add(command.qualifiedName());
      assertThat(command.findOption("--confirm")).as(command.qualifiedName()).isNotNull();
    }
    for (CommandLine sub : command.subcommands().values()) {
      collect(sub.getCommandSpec(), changing);
    }
  }
}
