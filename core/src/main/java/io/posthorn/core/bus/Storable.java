package io.posthorn.core.bus;

import io.posthorn.core.message.Key;
import io.posthorn.core.message.Limits;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Received;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a received message can be written to a database. Names can be too long or contain
 * characters that cannot be stored, and no database can express some times. Such a message must not
 * block those behind it: it becomes a dead letter with corrected names and times.
 */
final class Storable {
  private static final int NAME = 255;

  private Storable() {}

  static boolean is(Received received) {
    Message message = received.message();
    Key key = message.key();
    boolean names =
        isName(received.sender())
            && isName(message.type())
            && isName(message.contentType())
            && (key == null || (isName(key.aggregateType()) && isName(key.id())));
    if (!names || !Limits.isTime(message.occurredAt()) || !Limits.isTime(message.notBefore())) {
      return false;
    }
    for (Map.Entry<String, String> header : message.headers().entrySet()) {
      if (!isText(header.getKey()) || !isText(header.getValue())) {
        return false;
      }
    }
    return true;
  }

  static Received madeGood(Received received) {
    Message message = received.message();
    Map<String, String> headers = new LinkedHashMap<>();
    message.headers().forEach((name, value) -> headers.put(text(name), text(value)));
    return new Received(
        name(received.sender()),
        new Message(
            message.id(),
            message.idGiven(),
            name(message.type()),
            message.schemaVersion(),
            key(message.key()),
            message.payload(),
            name(message.contentType()),
            Map.copyOf(headers),
            time(message.occurredAt()),
            message.notBefore() == null ? null : time(message.notBefore()),
            message.sequence()));
  }

  private static Instant time(Instant time) {
    if (Limits.isTime(time)) {
      return time;
    }
    return time.isBefore(Limits.EARLIEST) ? Limits.EARLIEST : Limits.LATEST;
  }

  private static @Nullable Key key(@Nullable Key key) {
    return key == null ? null : new Key(name(key.aggregateType()), name(key.id()));
  }

  private static boolean isName(String text) {
    return text.length() <= NAME && isText(text);
  }

  private static boolean isText(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0 || Character.isSurrogate(c)) {
        // A surrogate pair is valid, and rare enough for a second look.
        return c != 0 && text.equals(text(text));
      }
    }
    return true;
  }

  private static String name(String text) {
    String good = text(text);
    return good.length() <= NAME ? good : text(good.substring(0, NAME));
  }

  private static String text(String text) {
    StringBuilder good = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              boolean bad =
                  c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
              good.appendCodePoint(bad ? 0xFFFD : c);
            });
    return good.toString();
  }
}
