package io.posthorn.spring.autoconfigure;

import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.SimilarTypes;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of types that are routed to a destination, but that this application has not registered. A
 * typo there is no error to anyone: the destination just never gets its messages.
 */
final class UnregisteredTypes {
  private static final Logger LOG = LoggerFactory.getLogger(UnregisteredTypes.class);
  private static final String ALL_TYPES = "*";

  private UnregisteredTypes() {}

  /**
   * Warns once per destination and type. An application that registers no types at all only
   * delivers what others add, and gets no warning.
   *
   * @param routes the types by destination
   * @param types what {@code add} accepts
   * @param configured the types that are registered at the start
   * @param learnt the names of types that are registered when they are first added
   */
  static void warn(
      Map<String, ? extends Set<String>> routes,
      MessageTypes types,
      List<MessageType> configured,
      Set<String> learnt) {
    Set<String> names = new TreeSet<>(learnt);
    configured.forEach(type -> names.add(type.name()));
    if (names.isEmpty()) {
      return;
    }
    routes.forEach(
        (destination, routed) -> {
          for (String type : new TreeSet<>(routed)) {
            if (!type.equals(ALL_TYPES) && !types.contains(type) && !learnt.contains(type)) {
              LOG.warn(
                  "Destination '{}' wants messages of type '{}', which this application has not registered{}. If the name is wrong, correct it; after that, 'posthorn destinations rewind {} --to TIME --why TEXT' sends what was missed. If another program adds this type, or it is that of a record without @OutboxMessage and @MessageKey, list it in posthorn.types",
                  destination,
                  type,
                  SimilarTypes.closest(type, names)
                      .map(close -> "; did you mean '" + close + "'?")
                      .orElse(""),
                  destination);
            }
          }
        });
  }
}
