package io.posthorn.spring.autoconfigure;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.postgresql.Tables;
import io.posthorn.spring.EventTypes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * The application's settings after evaluation.
 *
 * @param application the owner of the destinations; may be empty
 * @param environment where the application runs; may be empty
 * @param problems what is wrong and was therefore left out: see {@link ConfigurationCheck}
 */
record Configured(
    String application,
    String environment,
    Tables tables,
    List<MessageType> types,
    List<String> problems) {

  static Configured of(
      PosthornProperties properties, Environment environment, ListableBeanFactory beans) {
    List<String> problems = new ArrayList<>();
    String application = properties.application();
    if (!StringUtils.hasText(application)) {
      application = environment.getProperty("spring.application.name", "");
    }
    String place = properties.environment() == null ? "" : properties.environment();
    Tables tables = tables(properties, problems);
    List<MessageType> types = types(properties, beans, problems);
    return new Configured(application, place, tables, types, problems);
  }

  /** Checks the settings that only a relay needs. */
  void checkForRelay(List<String> all) {
    if (!StringUtils.hasText(application)) {
      all.add(
          "posthorn.application and spring.application.name are missing: set one of them, since destinations belong to an application");
    }
    if (!StringUtils.hasText(environment)) {
      all.add(
          "posthorn.environment is missing: set it to where this runs, for example production, so that a copy of its database sends nothing");
    }
  }

  private static Tables tables(PosthornProperties properties, List<String> problems) {
    try {
      return new Tables(properties.schema(), properties.prefix());
    } catch (PosthornException e) {
      problems.add("posthorn.schema, posthorn.prefix: " + e.getMessage());
      return Tables.DEFAULT;
    }
  }

  /**
   * Collects the types. A bean overrides the annotation, and the annotation overrides a bare name.
   */
  private static List<MessageType> types(
      PosthornProperties properties, ListableBeanFactory beans, List<String> problems) {
    Map<String, MessageType> types = new LinkedHashMap<>();
    properties.types().forEach(name -> types.put(name, MessageType.named(name)));
    if (AutoConfigurationPackages.has(beans)) {
      EventTypes.in(AutoConfigurationPackages.get(beans), problems)
          .forEach(type -> addEvent(type, types, problems));
    }
    beans.getBeanProvider(MessageType.class).forEach(type -> types.put(type.name(), type));
    return registrable(types.values(), problems);
  }

  private static List<MessageType> registrable(
      Collection<MessageType> types, List<String> problems) {
    List<MessageType> good = new ArrayList<>();
    for (MessageType type : types) {
      good.add(type);
      try {
        MessageTypes.of(good.toArray(MessageType[]::new));
      } catch (PosthornException e) {
        problems.add(e.getMessage());
        good.remove(type);
      }
    }
    return good;
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
