package io.posthorn.api.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.regex.Pattern;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;

/** Hashes of passwords, as the server's file has them. */
public final class Passwords {
  /** bcrypt looks at no more bytes of a password. */
  public static final int MOST_BYTES = 72;

  private static final int STRENGTH = 12;
  private static final Pattern BCRYPT =
      Pattern.compile("\\$2[aby]\\$(0[89]|1[0-9]|20)\\$[./A-Za-z0-9]{53}");

  private Passwords() {}

  /** The hash of a password, made by bcrypt. */
  public static String hash(String password) {
    return new BCryptPasswordEncoder(BCryptPasswordEncoder.BCryptVersion.$2B, STRENGTH)
        .encode(password);
  }

  /** Whether this is such a hash. */
  public static boolean isHash(String text) {
    return BCRYPT.matcher(text).matches();
  }

  /** Whether a password can be hashed: it is not empty and has at most 72 bytes. */
  public static boolean isPossible(String password) {
    return !password.isEmpty() && password.getBytes(UTF_8).length <= MOST_BYTES;
  }
}
