package io.posthorn.core.bus;

import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.InboxStore;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.source.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A started subscription: its threads at the source, and its handlers as a relay's connector. */
final class RunningSubscription {
  private final Bus bus;
  private final Subscription chosen;
  private final Consumer consumer;
  private final Handlers handlers;
  private final HandlerTransaction transaction;
  private final HandlerFailures failures;
  private final HandlerConnector connector;
  private final List<SubscriptionThread> threads = new ArrayList<>();

  RunningSubscription(Bus bus, Subscription chosen) {
    this.bus = bus;
    this.chosen = chosen;
    this.consumer =
        new Consumer(chosen.consumer, chosen.latestWins, chosen.idempotent, chosen.afterDead, true);
    this.handlers =
        new Handlers(
            handlersOf(bus, chosen),
            chosen.ignored,
            chosen.unknown == UnknownTypes.IGNORE,
            bus.parts.types);
    this.transaction =
        new HandlerTransaction(bus.parts.dataSource, bus.parts.store, chosen.isolation);
    TransactionSize transactionSize = TransactionSize.careful(chosen.batch);
    this.failures = new HandlerFailures(chosen.consumer, bus.observer);
    this.connector =
        new HandlerConnector(
            chosen.consumer,
            handlers,
            batches(transactionSize),
            new RelayReceipts(bus.parts.store, consumer),
            chosen.classifier,
            transactionSize,
            chosen.threads,
            bus.parts.threads,
            chosen.timeout,
            failures);
  }

  private static Map<String, VersionHandler> handlersOf(Bus bus, Subscription chosen) {
    Map<String, VersionHandler> all = new HashMap<>(chosen.byType);
    chosen.byClass.forEach(
        (event, handler) -> {
          MessageType type = bus.parts.types.of(event).orElseThrow();
          all.put(
              type.name(), new VersionHandler(reading(bus, event, handler), type.schemaVersion()));
        });
    return all;
  }

  // The map holds a handler of the same class for each class; see Subscription.on.
  @SuppressWarnings("unchecked")
  private static <T> EventHandler<Message> reading(
      Bus bus, Class<T> event, EventHandler<?> handler) {
    return Handlers.reading(
        Objects.requireNonNull(bus.parts.reader), event, (EventHandler<? super T>) handler);
  }

  private Batches batches(TransactionSize transactionSize) {
    return new Batches(
        chosen.consumer,
        handlers,
        new HandlerCalls(chosen.consumer, handlers, chosen.classifier, bus.tracing),
        transaction,
        new SendingOn(bus::message, bus.parts.outbox, bus.parts.adding),
        bus.observer,
        transactionSize,
        bus::closing);
  }

  Destination destination() {
    Destination.Builder destination =
        Destination.named(chosen.consumer, connector)
            .receives()
            .startAt(chosen.start)
            .sendTimeout(chosen.timeout)
            .retry(chosen.retry)
            .afterDead(chosen.afterDead);
    if (chosen.source == null) {
      destination.types(handlers.types().toArray(String[]::new));
    }
    if (chosen.unknown != UnknownTypes.IGNORE) {
      destination.unservedGrace(chosen.unknown == UnknownTypes.DEAD ? Duration.ZERO : chosen.grace);
    }
    return destination.build();
  }

  void start(Relay relay) {
    Source source = chosen.source;
    if (source == null) {
      return;
    }
    InboxStore inbox = bus.parts.store;
    Observer observer = bus.observer;
    for (int number = 1; number <= chosen.threads; number++) {
      TransactionSize transactionSize = new TransactionSize(chosen.batch);
      SourceWork.Parts parts =
          new SourceWork.Parts(
              chosen.consumer,
              batches(transactionSize),
              new SourceReceipts(inbox, consumer, handlers, chosen.mode, chosen.unknown),
              new FailureParker(inbox, consumer, transaction, chosen.retry, observer),
              handlers,
              chosen.classifier,
              chosen.tries,
              observer,
              failures,
              () -> relay.wakeParked(chosen.consumer),
              chosen.mode == Mode.DURABLE);
      threads.add(
          new SubscriptionThread(source, parts, transactionSize, bus.parts.threads, number));
    }
    threads.forEach(SubscriptionThread::start);
  }

  void stop() {
    threads.forEach(SubscriptionThread::stop);
  }

  void awaitSources(Duration most) throws InterruptedException {
    long until = System.nanoTime() + most.toNanos();
    for (SubscriptionThread thread : threads) {
      thread.awaitEnd(Duration.ofNanos(Math.max(1, until - System.nanoTime())));
    }
  }

  void close(Duration most) throws InterruptedException {
    connector.close();
    connector.awaitEnd(most);
  }
}
