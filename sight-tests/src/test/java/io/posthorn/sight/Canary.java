package io.posthorn.sight;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Base64;

/** A secret that sings if it is seen anywhere. */
final class Canary {
  static final String SECRET = "canary-4711-sings";

  /** As a header of a login carries it. */
  static final String LOGIN =
      Base64.getEncoder().encodeToString(("user:" + SECRET).getBytes(UTF_8));

  /** As the key of a signature. */
  static final String KEY =
      "whsec_" + Base64.getEncoder().encodeToString((SECRET + SECRET).getBytes(UTF_8));

  /** Where only a number can stand. */
  static final String NUMBER = "47110815471108154711";

  private Canary() {}

  static void assertSilent(String where, Object seen) {
    String text = String.valueOf(seen);
    for (String form : new String[] {SECRET, NUMBER, LOGIN, KEY.substring("whsec_".length())}) {
      int at = text.indexOf(form);
      assertThat(
              at < 0
                  ? ""
                  : text.substring(Math.max(0, at - 300), Math.min(text.length(), at + 100)))
          .as(where)
          .isEmpty();
    }
  }

  /** With its causes. */
  static void assertSilent(String where, Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text, true));
    assertSilent(where, text);
  }
}
