package io.posthorn.spring.autoconfigure;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.source.Source;
import io.posthorn.spring.handler.HandlerManager;
import io.posthorn.spring.handler.MessageHandlers;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Looks through everything as a whole when all beans have been made and nothing has started:
 * whoever has made three mistakes hears of all three at the first start.
 */
final class ConfigurationCheck implements SmartInitializingSingleton {
  private final Configured configured;
  private final PosthornProperties properties;
  private final OutboxDataSource outbox;
  private final ListableBeanFactory beans;

  ConfigurationCheck(
      Configured configured,
      PosthornProperties properties,
      OutboxDataSource outbox,
      ListableBeanFactory beans) {
    this.configured = configured;
    this.properties = properties;
    this.outbox = outbox;
    this.beans = beans;
  }

  @Override
  public void afterSingletonsInstantiated() {
    List<String> problems = new ArrayList<>(configured.problems());
    MessageHandlers handlers = beans.getBean(MessageHandlers.class);
    List<String> destinations =
        beans.getBeanProvider(Destination.class).stream().map(Destination::name).toList();
    if (properties.relay().enabled()
        && !(destinations.isEmpty() && handlers.consumers().isEmpty())) {
      configured.checkForRelay(problems);
    }
    if (!handlers.consumers().isEmpty()) {
      check(handlers, destinations, problems);
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
  }

  private void check(MessageHandlers handlers, List<String> destinations, List<String> problems) {
    handlers.check(
        beans.getBean(MessageTypes.class),
        beans.getBeanProvider(PayloadReader.class).getIfUnique() != null,
        beans.getBeansOfType(Source.class).keySet(),
        problems);
    HandlerManager.of(
        outbox.dataSource(), beans.getBeanProvider(PlatformTransactionManager.class), problems);
    destinations.stream()
        .filter(handlers.consumers()::contains)
        .forEach(
            name ->
                problems.add(
                    "'%s' is the name of a destination and of a consumer: give one of them another"
                        .formatted(name)));
  }
}
