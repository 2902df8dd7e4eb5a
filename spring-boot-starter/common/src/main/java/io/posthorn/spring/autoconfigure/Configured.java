package io.posthorn.spring.autoconfigure;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.relay.Destination;
import io.posthorn.postgresql.Tables;
import io.posthorn.spring.EventTypes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * What was configured, looked through as a whole: whoever has three mistakes in it hears of all
 * three at the first start.
 *
 * @param application whose destinations these are
 * @param environment where this runs; both are empty if there is no relay
 */
record Configured(String application, String environment, Tables tables, List<MessageType> types) {

  static Configured of(
      PosthornProperties properties, Environment environment, ListableBeanFactory beans) {
    List<String> problems = new ArrayList<>();
    String application = properties.application();
    if (!StringUtils.hasText(application)) {
      application = environment.getProperty("spring.application.name", "");
    }
    String place = properties.environment() == null ? "" : properties.environment();
    if (properties.relay().enabled()
        && beans.getBeanNamesForType(Destination.class, true, false).length > 0) {
      if (!StringUtils.hasText(application)) {
        problems.add(
            "posthorn.application is missing, and so is spring.application.name: whose destinations are these?");
      }
      if (!StringUtils.hasText(place)) {
        problems.add(
            "posthorn.environment is missing: say where this runs, for example production, so that a copy of its database sends nothing");
      }
    }
    Tables tables = tables(properties, problems);
    List<MessageType> types = types(properties, beans, problems);
    if (!problems.isEmpty()) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "Posthorn was not started: its configuration has %d %s:%n- %s"
              .formatted(
                  problems.size(),
                  problems.size() == 1 ? "problem" : "problems",
                  String.join(System.lineSeparator() + "- ", problems)));
    }
    return new Configured(application, place, tables, types);
  }

  private static Tables tables(PosthornProperties properties, List<String> problems) {
    try {
      return new Tables(properties.schema(), properties.prefix());
    } catch (PosthornException e) {
      problems.add("posthorn.schema, posthorn.prefix: " + e.getMessage());
      return Tables.DEFAULT;
    }
  }

  /** A bean tells more of a type than the annotation, and the annotation more than the name. */
  private static List<MessageType> types(
      PosthornProperties properties, ListableBeanFactory beans, List<String> problems) {
    Map<String, MessageType> types = new LinkedHashMap<>();
    properties.types().forEach(name -> types.put(name, MessageType.named(name)));
    if (AutoConfigurationPackages.has(beans)) {
      EventTypes.in(AutoConfigurationPackages.get(beans), problems)
          .forEach(type -> addEvent(type, types, problems));
    }
    beans.getBeanProvider(MessageType.class).forEach(type -> types.put(type.name(), type));
    return List.copyOf(types.values());
  }

  private static void addEvent(
      MessageType type, Map<String, MessageType> types, List<String> problems) {
    MessageType before = types.put(type.name(), type);
    if (before != null && before.eventClass() != null) {
      problems.add(
          "%s and %s both have @OutboxMessage(type = \"%s\"); give each its own type"
              .formatted(before.eventClass(), type.eventClass(), type.name()));
    }
  }
}
