package io.posthorn.envelope;

import java.util.Locale;
import java.util.regex.Pattern;

/** How a kind of broker carries the attributes of a CloudEvent, by the bindings of CloudEvents. */
public enum Transport {
  /** Header values are UTF-8. */
  KAFKA("ce_", false),

  /** The underscore is what JMS clients can read too. */
  AMQP("cloudEvents_", false),

  /** Header values are printable ASCII; the rest is percent-encoded. */
  HTTP("ce-", true);

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
        && !lower.equals("content-type")
        && (!ascii || TOKEN.matcher(name).matches());
  }

  /** The value of an attribute. */
  String attribute(String value) {
    return ascii ? PercentEncoding.encode(value) : value;
  }

  /** The value of an application's own header: as it is, wherever it can be. */
  String header(String value) {
    return ascii && !PRINTABLE.matcher(value).matches() ? PercentEncoding.encode(value) : value;
  }
}
