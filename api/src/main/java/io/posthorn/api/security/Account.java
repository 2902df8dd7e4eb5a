package io.posthorn.api.security;

/**
 * Somebody who logs in with a password.
 *
 * @param passwordHash made by bcrypt
 */
public record Account(String name, String passwordHash, Grants grants) {
  @Override
  public String toString() {
    return "Account[name=%s]".formatted(name);
  }
}
