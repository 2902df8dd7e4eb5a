package io.posthorn.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** The n-th entry in the list of a key, and the message that says the same. */
record OracleEntry(String key, long n) {
  /** What the lines of observations begin with. */
  static final String PREFIX = "oracle saw ";

  private static final String CHECK = "oracle-check";
  private static final String BAD = "damaged ";

  Message message(int payloadBytes) {
    String content = "{\"key\":\"" + encoded() + "\",\"n\":" + n + ",\"filler\":\"";
    int missing = Math.max(0, payloadBytes - content.length() - 2);
    byte[] payload =
        (content + "0123456789".repeat(missing / 10 + 1).substring(0, missing) + "\"}")
            .getBytes(UTF_8);
    return Message.of(Oracle.TYPE)
        .key(Oracle.AGGREGATE, key)
        .json(payload)
        .header(CHECK, check(payload))
        .build();
  }

  private String encoded() {
    return URLEncoder.encode(key, UTF_8);
  }

  private static String check(byte[] payload) {
    CRC32 crc = new CRC32();
    crc.update(payload);
    return Long.toHexString(crc.getValue());
  }

  static String line(Message message) {
    String text = new String(message.payload(), UTF_8);
    String key = between(text, "{\"key\":\"", "\"");
    String n = between(text, "\"n\":", ",");
    boolean whole =
        message.type().equals(Oracle.TYPE)
            && check(message.payload()).equals(message.headers().get(CHECK))
            && new Key(Oracle.AGGREGATE, URLDecoder.decode(key, UTF_8)).equals(message.key());
    return PREFIX + (whole ? key + " " + n : BAD + message.id());
  }

  private static String between(String text, String before, String after) {
    int start = text.indexOf(before);
    int end = start < 0 ? -1 : text.indexOf(after, start + before.length());
    return end < 0 ? "" : text.substring(start + before.length(), end);
  }

  /** Null if the line reports a damaged message, or is damaged itself. */
  static @Nullable OracleEntry parse(String line) {
    String[] parts = line.substring(PREFIX.length()).split(" ", -1);
    if (parts.length != 2 || line.startsWith(BAD, PREFIX.length())) {
      return null;
    }
    try {
      return new OracleEntry(URLDecoder.decode(parts[0], UTF_8), Long.parseLong(parts[1]));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
