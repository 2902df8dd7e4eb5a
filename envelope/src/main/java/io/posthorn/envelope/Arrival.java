package io.posthorn.envelope;

import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a broker delivered, before it is known to be a message: body, headers, and the broker's own
 * attributes. Accepts any input. Headers beyond a message's limits are cut or left out, and a
 * header counts those left out.
 */
public final class Arrival {
  static final int MAX_HEADERS = 64;
  static final int HEADER_NAME = 100;
  static final int HEADER_VALUE = 4_096;

  /** The header that counts the headers left out because of their number or their names. */
  public static final String HEADERS_LEFT_OUT = "headers-left-out";

  /** The suffix added to the name of a header whose value was not text. */
  public static final String BINARY = "-base64";

  /** The prefix of headers that mean something to Posthorn; other senders must not set them. */
  private static final String RESERVED = "posthorn-";

  // The store accepts times outside this range, but no real message has one.
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

  /** Something received at an address, which counts as the sender if the envelope names none. */
  public static Arrival at(Transport transport, String address, byte[] body) {
    return new Arrival(transport, address, body);
  }

  /**
   * Sets the place at the address: the same when it is delivered again, and never that of another
   * message. Without it, a message without an id is not recognised when it is delivered again.
   */
  public Arrival place(String unique) {
    this.place = unique;
    return this;
  }

  public Arrival contentType(@Nullable String known) {
    this.contentType = known;
    return this;
  }

  /** The broker's message id; the envelope's own takes precedence. */
  public Arrival id(@Nullable String known) {
    this.id = known;
    return this;
  }

  /** The broker's message type; the envelope's own takes precedence. */
  public Arrival type(@Nullable String known) {
    this.type = known;
    return this;
  }

  /** The broker's key; the envelope's own takes precedence. */
  public Arrival key(byte @Nullable [] known) {
    if (known != null && known.length > 0) {
      String text = Texts.utf8(known);
      this.key =
          text != null && Texts.isText(text) ? text : Base64.getEncoder().encodeToString(known);
    }
    return this;
  }

  /** The broker's timestamp; the envelope's own takes precedence. */
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
    } else if (attributes.size() < MAX_HEADERS || attributes.containsKey(name)) {
      String before = attributes.put(name, value);
      if (before != null && !before.equals(value)) {
        problem =
            "attribute " + Texts.clean(name, HEADER_NAME) + " occurs twice with different values";
      }
    } else {
      problem = "there are more than " + MAX_HEADERS + " attributes";
    }
    return this;
  }

  private Arrival own(String name, String value) {
    boolean known = own.containsKey(name);
    if (name.length() > HEADER_NAME || !Texts.isText(name) || name.startsWith(RESERVED)) {
      leftOut++;
    } else if (known || own.size() < MAX_HEADERS) {
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

  /** When it occurred, as far as the broker knows, or else now. */
  Instant time() {
    return time != null && isSane(time) ? time : Instant.now();
  }

  static boolean isSane(Instant time) {
    return !time.isBefore(EARLIEST) && time.isBefore(LATEST);
  }

  /** The attributes of a CloudEvent in binary mode; empty if it is not one. */
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

  /** What is already known to be wrong with the headers, or null. */
  @Nullable String problem() {
    return problem;
  }
}
