package io.posthorn.spring.modulith;

import io.posthorn.spring.OutboxMessage;
import io.posthorn.spring.TransactionalOutbox;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.modulith.events.EventExternalizationConfiguration;

/**
 * Puts events that are to be externalized into the outbox, in the publisher's transaction and in
 * its thread. Spring Modulith's own externalizers listen after the commit, and what they have not
 * sent when the program dies is found again only where its event publication registry is; here the
 * message is part of the commit.
 */
final class ExternalizedEvents implements ApplicationListener<PayloadApplicationEvent<?>> {
  private final EventExternalizationConfiguration configuration;
  private final TransactionalOutbox outbox;
  private final ExternalizedMessages messages;

  ExternalizedEvents(
      EventExternalizationConfiguration configuration,
      TransactionalOutbox outbox,
      ExternalizedMessages messages) {
    this.configuration = configuration;
    this.outbox = outbox;
    this.messages = messages;
  }

  @Override
  public void onApplicationEvent(PayloadApplicationEvent<?> published) {
    Object event = published.getPayload();
    if (!addedAlready(event) && configuration.supports(event)) {
      outbox.add(messages.messageOf(event));
    }
  }

  /** The starter adds these itself. */
  private static boolean addedAlready(Object event) {
    return event.getClass().isAnnotationPresent(OutboxMessage.class);
  }

  /** Another thread would not be in the publisher's transaction. */
  @Override
  public boolean supportsAsyncExecution() {
    return false;
  }
}
