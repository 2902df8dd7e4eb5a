package io.posthorn.envelope;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How a kind of broker carries CloudEvents attributes, according to the CloudEvents bindings. */
public enum Transport {
  /** Header values are UTF-8. */
  KAFKA("ce_", false),

  /** The prefix has an underscore because JMS clients cannot read a colon. */
  AMQP("cloudEvents_", false),

  /** Header values are printable ASCII; the rest is percent-encoded. */
  HTTP("ce-", true);

  private static final Pattern ATTRIBUTE = Pattern.compile("[a-z0-9]+");

  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

  private static final Pattern PRINTABLE = Pattern.compile("[!-~]([ -~]*[!-~])?");

  private final String prefix;
  private final boolean ascii;

  Transport(String prefix, boolean ascii) {
    this.prefix = prefix;
    this.ascii = ascii;
  }

  /** The prefix of CloudEvents attributes in header names. */
  public String prefix() {
    return prefix;
  }

  /** Returns whether an application may use this header name: it is allowed and not reserved. */
  boolean takesHeader(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return !lower.isEmpty()
        && !lower.startsWith(prefix.toLowerCase(Locale.ROOT))
        && attributeName(name) == null
        && !lower.equals("content-type")
        && (!ascii || TOKEN.matcher(name).matches());
  }

  /** Returns the attribute that this header carries, or null. */
  @Nullable String attributeName(String header) {
    String name = this == HTTP ? header.toLowerCase(Locale.ROOT) : header;
    // Other senders write cloudEvents:id, which the binding also allows.
    if (this == AMQP && name.startsWith("cloudEvents:")) {
      name = prefix + name.substring(prefix.length());
    }
    return name.startsWith(prefix) && ATTRIBUTE.matcher(name.substring(prefix.length())).matches()
        ? name.substring(prefix.length())
        : null;
  }

  /** Returns the attribute's value as it was sent, or null if it is wrongly encoded. */
  @Nullable String readAttribute(String value) {
    return ascii ? PercentEncoding.decodeQuoted(value) : value;
  }

  /** Returns the value of an application's own header as it was before {@link #header}. */
  String readHeader(String value) {
    if (!ascii) {
      return value;
    }
    String decoded = PercentEncoding.decode(value);
    return decoded != null && header(decoded).equals(value) ? decoded : value;
  }

  /** Encodes the value of an attribute. */
  String attribute(String value) {
    return ascii ? PercentEncoding.encode(value) : value;
  }

  /** Encodes the value of an application's own header, but only if it cannot be sent unchanged. */
  String header(String value) {
    return ascii && mustBeEncoded(value) ? PercentEncoding.encode(value) : value;
  }

  /** A value that looks encoded must be encoded too, since the reader could not tell. */
  private static boolean mustBeEncoded(String value) {
    if (!PRINTABLE.matcher(value).matches()) {
      return true;
    }
    String decoded = PercentEncoding.decode(value);
    return decoded != null
        && decoded.length() < value.length()
        && PercentEncoding.encode(decoded).equals(value)
        && mustBeEncoded(decoded);
  }
}
