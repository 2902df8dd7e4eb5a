package io.posthorn.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Removes the secrets of a request from error texts. Receivers often repeat the address or the
 * headers in their errors, and errors are stored and shown.
 */
final class Secrets {
  /** Shorter words in a path say what it is for; longer ones are often its key. */
  private static final int LONG_WORD = 12;

  /** A shorter value is unlikely to be secret, and likely to occur in any text. */
  private static final int SHORT_VALUE = 4;

  private final List<String> ofAddress;
  private volatile String authorization = "";

  private Secrets(List<String> ofAddress) {
    this.ofAddress = ofAddress;
  }

  /** Finds the secrets of this address. In a template, a message's own values are not secret. */
  static Secrets of(String url) {
    List<String> found = new ArrayList<>();
    String[] halves = url.replaceFirst("^[^/]*//[^/?]*", "").split("\\?", 2);
    for (String word : halves[0].split("/", -1)) {
      add(found, word, LONG_WORD);
    }
    if (halves.length == 2) {
      for (String pair : halves[1].split("&", -1)) {
        add(found, pair.substring(pair.indexOf('=') + 1), SHORT_VALUE);
      }
    }
    // Longest first, because a secret may contain a shorter one.
    found.sort(Comparator.comparingInt(String::length).reversed());
    return new Secrets(List.copyOf(found));
  }

  private static void add(List<String> found, String text, int least) {
    for (String part : text.split("\\{[^}]*}", -1)) {
      if (part.length() >= least) {
        found.add(part);
        try {
          found.add(URLDecoder.decode(part, UTF_8));
        } catch (IllegalArgumentException e) {
          // Text that cannot be decoded is not decoded by receivers either.
        }
      }
    }
  }

  /** Returns the outcome with all secrets removed from its reason. */
  Outcome without(Outcome outcome) {
    if (outcome instanceof Outcome.Failed failed) {
      return new Outcome.Failed(without(failed.reason()), failed.retryAfter(), failed.byMessage());
    }
    if (outcome instanceof Outcome.Rejected rejected) {
      return Outcome.rejected(without(rejected.reason()));
    }
    if (outcome instanceof Outcome.Unavailable unavailable && !unavailable.forGood()) {
      return Outcome.unavailable(without(unavailable.reason()));
    }
    return outcome;
  }

  private Reason without(Reason reason) {
    String stack = reason.stack();
    return new Reason(reason.code(), without(reason.text()), stack == null ? null : without(stack));
  }

  /** Notes the value of the authorization header that was sent last. */
  void authorization(String value) {
    authorization = value.substring(value.indexOf(' ') + 1);
  }

  String without(String text) {
    String cleaned = text;
    for (String secret : ofAddress) {
      cleaned = cleaned.replace(secret, "***");
    }
    String sent = authorization;
    return sent.length() < SHORT_VALUE ? cleaned : cleaned.replace(sent, "***");
  }
}
