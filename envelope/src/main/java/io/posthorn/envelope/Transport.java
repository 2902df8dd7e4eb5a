package io.posthorn.envelope;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How a kind of broker carries the attributes of a CloudEvent, by the bindings of CloudEvents. */
public enum Transport {
  /** Header values are UTF-8. */
  KAFKA("ce_", false),

  /** The underscore is what JMS clients can read too. */
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

  /** What the names of CloudEvents attributes begin with. */
  public String prefix() {
    return prefix;
  }

  /** Whether an application may have a header of this name: it can be carried, and is not ours. */
  boolean takesHeader(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return !lower.isEmpty()
        && !lower.startsWith(prefix.toLowerCase(Locale.ROOT))
        && attributeName(name) == null
        && !lower.equals("content-type")
        && (!ascii || TOKEN.matcher(name).matches());
  }

  /** The name of the attribute that a header carries; none if it carries none. */
  @Nullable String attributeName(String header) {
    String name = this == HTTP ? header.toLowerCase(Locale.ROOT) : header;
    // Others write cloudEvents:id, which the binding allows, too.
    if (this == AMQP && name.startsWith("cloudEvents:")) {
      name = prefix + name.substring(prefix.length());
    }
    return name.startsWith(prefix) && ATTRIBUTE.matcher(name.substring(prefix.length())).matches()
        ? name.substring(prefix.length())
        : null;
  }

  /** The value of an attribute as it was sent; none if it is wrongly encoded. */
  @Nullable String readAttribute(String value) {
    return ascii ? PercentEncoding.decodeQuoted(value) : value;
  }

  /** The value of an application's own header as it was before {@link #header}. */
  String readHeader(String value) {
    if (!ascii) {
      return value;
    }
    String decoded = PercentEncoding.decode(value);
    return decoded != null && header(decoded).equals(value) ? decoded : value;
  }

  /** The value of an attribute. */
  String attribute(String value) {
    return ascii ? PercentEncoding.encode(value) : value;
  }

  /** The value of an application's own header: as it is, wherever it can be. */
  String header(String value) {
    return ascii && mustBeEncoded(value) ? PercentEncoding.encode(value) : value;
  }

  /** What looks as if it had been encoded is, too: the reader could not tell. */
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
