package io.posthorn.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Delivery;

/** Messages whose payload is a short text that names them. */
public final class TestMessages {
  /** The default type. */
  public static final String TYPE = "Tested";

  /** The aggregate type of all keys. */
  public static final String AGGREGATE = "Thing";

  private TestMessages() {}

  /** Without a key. */
  public static Message message(String content) {
    return Message.of(TYPE).json(content.getBytes(UTF_8)).build();
  }

  public static Message keyed(String key, String content) {
    return Message.of(TYPE).key(AGGREGATE, key).json(content.getBytes(UTF_8)).build();
  }

  public static Message typed(String type, String content) {
    return Message.of(type).json(content.getBytes(UTF_8)).build();
  }

  public static Message sized(int bytes) {
    return Message.of(TYPE).json(new byte[bytes]).build();
  }

  public static Key key(String id) {
    return new Key(AGGREGATE, id);
  }

  public static String content(Delivery delivery) {
    return content(delivery.message());
  }

  public static String content(Message message) {
    return new String(message.payload(), UTF_8);
  }
}
