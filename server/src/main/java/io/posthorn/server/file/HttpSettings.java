package io.posthorn.server.file;

import io.posthorn.api.mask.MaskRule;
import io.posthorn.api.mask.Show;
import io.posthorn.api.security.Account;
import io.posthorn.api.security.ApiToken;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The HTTP API. Nothing of it is open: without users, the log shows a password for one login at
 * each start.
 *
 * @param address the address to listen on; 0.0.0.0 means all
 * @param port the port to listen on; 0 means any free one, which the log names
 * @param tlsBundle serve TLS with the certificate of this bundle of tls-bundles; default: no TLS,
 *     for this host only or behind a proxy that has TLS
 * @param sessionTimeout how long a browser stays logged in without a request
 * @param users the people who may log in, by name
 * @param tokens the tokens of programs, by a name of your choice, which the audit shows
 * @param masks values of payloads that even those who may read payloads see only after giving a
 *     reason, by a name of your choice
 */
public record HttpSettings(
    @DefaultValue("127.0.0.1") String address,
    @DefaultValue("8080") int port,
    @Nullable String tlsBundle,
    @DefaultValue("30m") Duration sessionTimeout,
    @DefaultValue Map<String, User> users,
    @DefaultValue Map<String, Token> tokens,
    @DefaultValue Map<String, Mask> masks) {

  /**
   * Somebody who logs in with a password.
   *
   * @param passwordHash what posthorn server hash-password printed
   * @param roles roles by database, separated by commas: viewer, payload-reader, operator, admin,
   *     writer; the name "*" means all databases
   */
  public record User(@Required String passwordHash, @Required Map<String, String> roles) {
    @Override
    public String toString() {
      return "User[roles=%s]".formatted(roles);
    }
  }

  /**
   * A token that a program sends.
   *
   * @param tokenHash what posthorn server token printed as the hash
   * @param roles roles by database, as for users
   * @param expires when it ends, such as 2027-01-31 or 2027-01-31T10:00:00Z; default: never
   */
  public record Token(
      @Required String tokenHash, @Required Map<String, String> roles, @Nullable String expires) {
    @Override
    public String toString() {
      return "Token[roles=%s, expires=%s]".formatted(roles, expires);
    }
  }

  /**
   * A value to mask.
   *
   * @param type the type of the messages; default: every type
   * @param pointer where the value is in the payload, as a JSON pointer such as /customer/card; a
   *     part * means every element or member
   * @param show what is shown in place of the value
   */
  public record Mask(
      @DefaultValue("*") String type, @Required String pointer, @DefaultValue("hide") Show show) {}

  /** The users as the login knows them. */
  public List<Account> accounts() {
    return users.entrySet().stream()
        .map(
            one ->
                new Account(
                    one.getKey(),
                    one.getValue().passwordHash(),
                    RolesText.grants(one.getValue().roles())))
        .toList();
  }

  /** The tokens as the login knows them. */
  public List<ApiToken> apiTokens() {
    return tokens.entrySet().stream()
        .map(
            one ->
                new ApiToken(
                    one.getKey(),
                    one.getValue().tokenHash(),
                    RolesText.grants(one.getValue().roles()),
                    RolesText.time(one.getValue().expires())))
        .toList();
  }

  /** The masks of payloads. */
  public List<MaskRule> rules() {
    return masks.values().stream()
        .map(one -> new MaskRule(one.type(), one.pointer(), one.show()))
        .toList();
  }
}
