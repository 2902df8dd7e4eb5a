package io.posthorn.api.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.api.access.Role;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The password of {@code admin} while no user is configured. It is good for one login. */
public final class OneTimePassword {
  /** The name to log in with. */
  public static final String NAME = "admin";

  private static final int BYTES = 18;

  private @Nullable String hash;
  private final String text;

  /** Makes a new one. */
  public OneTimePassword() {
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    this.text = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    this.hash = ApiToken.hashOf(text);
  }

  /** The password, for the person who started the server. */
  public String text() {
    return text;
  }

  /** Whether this is the name and the password; the next time it is not. */
  synchronized boolean take(String name, String password) {
    String wanted = hash;
    boolean right =
        wanted != null
            && name.equals(NAME)
            && MessageDigest.isEqual(
                wanted.getBytes(UTF_8), ApiToken.hashOf(password).getBytes(UTF_8));
    if (right) {
      hash = null;
    }
    return right;
  }

  Grants grants() {
    return new Grants(Map.of(Grants.EVERYWHERE, Set.of(Role.ADMIN)));
  }
}
