package io.posthorn.spring.autoconfigure;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.source.Source;
import io.posthorn.core.trace.Tracing;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.spring.EventMessages;
import io.posthorn.spring.OutboxTransactions;
import io.posthorn.spring.connector.PropertyConnectors;
import io.posthorn.spring.handler.HandlerManager;
import io.posthorn.spring.handler.HandlerTransactions;
import io.posthorn.spring.handler.MessageHandlers;
import io.posthorn.spring.handler.Receiving;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.PlatformTransactionManager;

/** Builds a bus from the application's destinations and handlers, which are already checked. */
final class BusMaker {
  private final Configured configured;
  private final PosthornProperties properties;
  private final DataSource dataSource;
  private final PropertyConnectors connectors;
  private final ListableBeanFactory beans;

  BusMaker(
      Configured configured,
      PosthornProperties properties,
      OutboxDataSource outbox,
      PropertyConnectors connectors,
      ListableBeanFactory beans) {
    this.configured = configured;
    this.properties = properties;
    this.dataSource = outbox.dataSource();
    this.connectors = connectors;
    this.beans = beans;
  }

  /** Returns null if there is nothing to deliver and nothing to handle. */
  @Nullable Bus make() {
    List<Destination> destinations =
        new ArrayList<>(beans.getBeanProvider(Destination.class).orderedStream().toList());
    destinations.addAll(connectors.destinations());
    MessageHandlers handlers = beans.getBean(MessageHandlers.class);
    if (destinations.isEmpty() && handlers.consumers().isEmpty()) {
      return null;
    }
    PostgresqlStore store = beans.getBean(PostgresqlStore.class);
    Observers observers = Observers.of(beans);
    Relay.Builder relay =
        Relay.on(store, configured.application(), configured.environment())
            .config(properties.relay().config())
            .observer(observers.ofRelay());
    if (properties.relay().name() != null) {
      relay.name(properties.relay().name());
    }
    beans.getBeanProvider(Archive.class).ifAvailable(relay::archive);
    beans.getBeanProvider(PayloadCipher.class).ifAvailable(relay::cipher);
    relay.tracing(tracing()).classifier(receiving().classifier());
    destinations.forEach(relay::destination);
    return bus(relay, observers.ofBus(), consumer -> null);
  }

  /**
   * Builds a bus with the application's handlers and this relay.
   *
   * @param standIns gives a consumer another source than its own; null for its own
   */
  Bus bus(
      Relay.Builder relay,
      Observer observer,
      Function<String, ? extends @Nullable Source> standIns) {
    MessageHandlers handlers = beans.getBean(MessageHandlers.class);
    Receiving receiving = receiving();
    Outbox outbox = beans.getBean(Outbox.class);
    HandlerTransactions transactions = handlers.consumers().isEmpty() ? null : transactions(outbox);
    Bus.Builder builder =
        Bus.on(
                beans.getBean(PostgresqlStore.class),
                transactions == null ? dataSource : transactions,
                outbox,
                receiving.types())
            .relay(relay)
            .observer(observer)
            .tracing(tracing())
            .events(beans.getBean(EventMessages.class)::startOf)
            .threads(beans.getBean(HandlerThreads.BEAN, ThreadFactory.class));
    if (transactions != null) {
      builder.adding(transactions::add);
    }
    Bus bus = builder.build();
    handlers.subscribe(bus, receiving, standIns);
    return bus;
  }

  private Receiving receiving() {
    return Receivings.of(beans, connectors, properties);
  }

  private Tracing tracing() {
    return beans.getBeanProvider(Tracing.class).getIfAvailable(() -> Tracing.NONE);
  }

  private HandlerTransactions transactions(Outbox outbox) {
    PlatformTransactionManager manager =
        HandlerManager.of(
            dataSource, beans.getBeanProvider(PlatformTransactionManager.class), new ArrayList<>());
    HandlerTransactions transactions =
        new HandlerTransactions(
            Objects.requireNonNull(manager),
            dataSource,
            outbox,
            beans.getBean(OutboxTransactions.class));
    transactions.check();
    return transactions;
  }
}
