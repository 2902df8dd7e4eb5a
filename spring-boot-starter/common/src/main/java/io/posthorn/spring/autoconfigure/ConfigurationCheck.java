package io.posthorn.spring.autoconfigure;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.source.Source;
import io.posthorn.spring.EventTypes;
import io.posthorn.spring.connector.PropertyConnectors;
import io.posthorn.spring.handler.ConsumerProperties;
import io.posthorn.spring.handler.HandlerManager;
import io.posthorn.spring.handler.MessageHandlers;
import io.posthorn.spring.handler.UpcastMethods;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Checks the whole configuration after all beans are created and before anything starts, so that
 * the first start reports every mistake.
 */
final class ConfigurationCheck implements SmartInitializingSingleton {
  private final Configured configured;
  private final PosthornProperties properties;
  private final OutboxDataSource outbox;
  private final PropertyConnectors connectors;
  private final ListableBeanFactory beans;

  ConfigurationCheck(
      Configured configured,
      PosthornProperties properties,
      OutboxDataSource outbox,
      PropertyConnectors connectors,
      ListableBeanFactory beans) {
    this.configured = configured;
    this.properties = properties;
    this.outbox = outbox;
    this.connectors = connectors;
    this.beans = beans;
  }

  @Override
  public void afterSingletonsInstantiated() {
    List<String> problems = new ArrayList<>(configured.problems());
    MessageHandlers handlers = beans.getBean(MessageHandlers.class);
    SettingsCheck settings = new SettingsCheck(properties, problems);
    settings.check();
    Map<String, Duration> served = served(handlers.consumers());
    if (properties.relay().enabled() && !served.isEmpty()) {
      configured.checkForRelay(problems);
      settings.checkRelay(served);
    }
    checkNames(handlers.consumers(), problems);
    problems.addAll(beans.getBean(UpcastMethods.class).problems());
    handlers.check(Receivings.of(beans, connectors, properties), problems);
    if (!handlers.consumers().isEmpty()) {
      HandlerManager.of(
          outbox.dataSource(), beans.getBeanProvider(PlatformTransactionManager.class), problems);
    }
    if (!problems.isEmpty()) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "Posthorn was not started: its configuration has %d %s:%n- %s"
              .formatted(
                  problems.size(),
                  problems.size() == 1 ? "problem" : "problems",
                  String.join(System.lineSeparator() + "- ", problems)));
    }
    Map<String, Set<String>> routes = new LinkedHashMap<>();
    beans.getBeanProvider(Destination.class).forEach(bean -> routes.put(bean.name(), bean.types()));
    properties.destinations().forEach((name, one) -> routes.put(name, Set.copyOf(one.types())));
    Set<String> learnt =
        AutoConfigurationPackages.has(beans)
            ? EventTypes.namesOfKeyedRecords(AutoConfigurationPackages.get(beans))
            : Set.of();
    UnregisteredTypes.warn(routes, beans.getBean(MessageTypes.class), configured.types(), learnt);
  }

  /** Returns everything that a relay would have to serve, with its send timeout. */
  private Map<String, Duration> served(Set<String> consumers) {
    Map<String, Duration> served = new LinkedHashMap<>();
    beans
        .getBeanProvider(Destination.class)
        .forEach(bean -> served.put(bean.name(), bean.sendTimeout()));
    properties.destinations().forEach((name, one) -> served.put(name, one.sendTimeout()));
    for (String consumer : consumers) {
      ConsumerProperties tuned = properties.consumers().get(consumer);
      served.put(consumer, tuned == null ? ConsumerProperties.TIMEOUT : tuned.timeout());
    }
    return served;
  }

  private void checkNames(Set<String> consumers, List<String> problems) {
    Set<String> taken = new HashSet<>(consumers);
    List<String> names =
        new ArrayList<>(
            beans.getBeanProvider(Destination.class).stream().map(Destination::name).toList());
    names.addAll(connectors.destinationNames());
    for (String name : names) {
      if (!taken.add(name)) {
        problems.add(
            "'%s' is the name of two destinations, or of a destination and a consumer: rename one of them"
                .formatted(name));
      }
    }
    for (String name : beans.getBeansOfType(Source.class).keySet()) {
      if (connectors.sourceNames().contains(name)) {
        problems.add(
            "posthorn.sources.%s: a Source bean has the same name; rename one of them"
                .formatted(name));
      }
    }
  }
}
