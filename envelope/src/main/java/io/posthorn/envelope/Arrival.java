package io.posthorn.envelope;

import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a broker handed over, before anybody knows whether it is a message: its body, its headers,
 * and what the broker itself knows of it. Takes whatever comes; headers beyond what a message may
 * have are cut or left out, and a header says how many.
 */
public final class Arrival {
  static final int MOST_HEADERS = 64;
  static final int HEADER_NAME = 100;
  static final int HEADER_VALUE = 4_096;

  /** How many headers were left out, because there were too many, or for their names. */
  public static final String HEADERS_LEFT_OUT = "headers-left-out";

  /** What is added to the name of a header that was no text. */
  public static final String BINARY = "-base64";

  /** Names that mean something to Posthorn itself, and are nothing for strangers to write. */
  private static final String RESERVED = "posthorn-";

  // The store can keep times far outside, but nobody's business has them.
  private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("9999-01-01T00:00:00Z");

  private final Transport transport;
  private final String address;
  private final byte[] body;
  private final Map<String, String> attributes = new LinkedHashMap<>();
  private final Map<String, String> own = new LinkedHashMap<>();
  private int leftOut;
  private @Nullable String problem;
  private @Nullable String contentType;
  private @Nullable String place;
  private @Nullable String id;
  private @Nullable String type;
  private @Nullable String key;
  private @Nullable Instant time;

  private Arrival(Transport transport, String address, byte[] body) {
    this.transport = transport;
    this.address = address;
    this.body = body;
  }

  /** Something found at an address, which counts as the sender of what names none. */
  public static Arrival at(Transport transport, String address, byte[] body) {
    return new Arrival(transport, address, body);
  }

  /**
   * Where at the address, the same if it is handed over again and never that of another; without
   * it, a message that has no id is not recognised when it comes again.
   */
  public Arrival place(String unique) {
    this.place = unique;
    return this;
  }

  public Arrival contentType(@Nullable String known) {
    this.contentType = known;
    return this;
  }

  /** As the broker knows it; the envelope's own comes first. */
  public Arrival id(@Nullable String known) {
    this.id = known;
    return this;
  }

  /** As the broker knows it; the envelope's own comes first. */
  public Arrival type(@Nullable String known) {
    this.type = known;
    return this;
  }

  /** As the broker knows it; the envelope's own comes first. */
  public Arrival key(byte @Nullable [] known) {
    if (known != null && known.length > 0) {
      String text = Texts.utf8(known);
      this.key =
          text != null && Texts.isText(text) ? text : Base64.getEncoder().encodeToString(known);
    }
    return this;
  }

  /** As the broker knows it; the envelope's own comes first. */
  public Arrival time(@Nullable Instant known) {
    this.time = known;
    return this;
  }

  public Arrival header(String name, byte[] value) {
    String text = Texts.utf8(value);
    if (text != null) {
      return header(name, text);
    }
    if (transport.attributeName(name) != null) {
      problem = "attribute " + Texts.clean(name, HEADER_NAME) + " is not UTF-8";
      return this;
    }
    return own(name + BINARY, Base64.getEncoder().encodeToString(value));
  }

  public Arrival header(String name, String value) {
    String attribute = transport.attributeName(name);
    if (attribute != null) {
      return attribute(attribute, transport.readAttribute(value));
    }
    if (name.toLowerCase(Locale.ROOT).equals("content-type")) {
      return contentType(value);
    }
    return own(name, value.length() > HEADER_VALUE ? value : transport.readHeader(value));
  }

  private Arrival attribute(String name, @Nullable String value) {
    if (value == null) {
      problem = "attribute " + Texts.clean(name, HEADER_NAME) + " is wrongly encoded";
    } else if (attributes.size() < MOST_HEADERS || attributes.containsKey(name)) {
      String before = attributes.put(name, value);
      if (before != null && !before.equals(value)) {
        problem = "attribute " + Texts.clean(name, HEADER_NAME) + " stands there twice";
      }
    } else {
      problem = "there are more than " + MOST_HEADERS + " attributes";
    }
    return this;
  }

  private Arrival own(String name, String value) {
    boolean known = own.containsKey(name);
    if (name.length() > HEADER_NAME || !Texts.isText(name) || name.startsWith(RESERVED)) {
      leftOut++;
    } else if (known || own.size() < MOST_HEADERS) {
      own.put(name, Texts.clean(value, HEADER_VALUE));
    } else {
      leftOut++;
    }
    return this;
  }

  Transport transport() {
    return transport;
  }

  String address() {
    return Texts.fit(Texts.clean(address, Integer.MAX_VALUE), EnvelopeReader.KEY);
  }

  byte[] body() {
    return body;
  }

  @Nullable String contentType() {
    return contentType;
  }

  @Nullable String place() {
    return place;
  }

  @Nullable String id() {
    return id;
  }

  @Nullable String type() {
    return type;
  }

  @Nullable String key() {
    return key;
  }

  /** When it happened, as far as anybody but the envelope knows. */
  Instant time() {
    return time != null && isSane(time) ? time : Instant.now();
  }

  static boolean isSane(Instant time) {
    return !time.isBefore(EARLIEST) && time.isBefore(LATEST);
  }

  /** Of a CloudEvent in binary mode; empty if it is none. */
  Map<String, String> attributes() {
    return attributes;
  }

  /** The application's own headers. */
  Map<String, String> own() {
    Map<String, String> headers = new LinkedHashMap<>(own);
    if (leftOut > 0) {
      headers.put(HEADERS_LEFT_OUT, Integer.toString(leftOut));
    }
    return headers;
  }

  /** What is wrong with the headers already. */
  @Nullable String problem() {
    return problem;
  }
}
