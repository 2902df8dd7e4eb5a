package io.posthorn.rabbitmq;

/** A user and the password; asked for again with each new connection. */
public record Credentials(String user, String password) {
  /** Without the password. */
  @Override
  public String toString() {
    return user;
  }
}
