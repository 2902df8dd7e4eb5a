package io.posthorn.rabbitmq;

/** User and password; asked for again for each new connection. */
public record Credentials(String user, String password) {
  /** Leaves the password out. */
  @Override
  public String toString() {
    return user;
  }
}
