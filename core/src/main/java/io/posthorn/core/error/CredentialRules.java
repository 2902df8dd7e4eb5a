package io.posthorn.core.error;

import java.util.List;
import java.util.regex.Pattern;

/** Credentials: passwords, tokens and keys, and the addresses and headers that contain them. */
final class CredentialRules {
  /** Also found inside longer names: ssl.truststore.password, access_token, clientSecret. */
  private static final String NAMES =
      "passw(?:or)?d|passphrase|pwd|secret|token|credentials?|signature"
          + "|(?:api|access|private|account)[-_.]?key|session[-_]?id|sasl\\.jaas\\.config";

  private static final String HEADERS = "authorization|cookie";

  /** What is between a name and its value, including the name's closing quote. */
  private static final String IS =
      "[\\w.-]{0,40}+\\\\{0,3}+[\"']?+(?:\\s{0,5}+(?:=>|[:=])\\s{0,5}+|>)\\[?+";

  private static final Pattern SECRET_NAME =
      Pattern.compile("(?i)" + NAMES + "|" + HEADERS + "|x-amz-security");

  static final List<Rule> ALL =
      List.of(
          BetweenRule.of("-----BEGIN [A-Z0-9 ]{0,40}KEY(?: BLOCK)?-----", SecretEnds::pem),
          BetweenRule.of("://", AddressEnds::login),
          BetweenRule.of("jdbc:oracle:\\w{1,10}+:(?=[^@\\s]{1,200}+@)", AddressEnds::oracleLogin),
          BetweenRule.of("https?://[^\\s\"'<>?]{1,500}+\\?", AddressEnds::query),
          BetweenRule.of("/", AddressEnds::key),
          BetweenRule.of("(?i)(?:" + HEADERS + ")" + IS, SecretEnds::header),
          BetweenRule.of("(?i)(?:" + NAMES + ")" + IS, SecretEnds::value),
          BetweenRule.of("(?i)\\b(?:bearer|basic|digest|negotiate)\\s{1,5}+", SecretEnds::token),
          WholeMatchRule.of(
              "\\b(?:whs(?:ec|k)_[\\w+/=-]++|eyJ[\\w.-]{10,}+|(?:AKIA|ASIA)[A-Z0-9]{16}\\b"
                  + "|gh[pousr]_\\w{16,}+|github_pat_\\w{16,}+|xox[a-z]-[\\w-]{8,}+"
                  + "|[sr]k_(?:live|test)_\\w{8,}+|AIza[\\w-]{35})"));

  private CredentialRules() {}

  static boolean isSecret(String name) {
    return SECRET_NAME.matcher(name).find();
  }
}
