package io.posthorn.spring.modulith;

import io.posthorn.core.message.OutboxMessage;
import io.posthorn.spring.TransactionalOutbox;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.modulith.events.EventExternalizationConfiguration;

/**
 * Adds externalized events to the outbox, in the publisher's transaction and thread.
 *
 * <p>Spring Modulith's own externalizers listen after the commit. Events that they have not sent
 * when the program dies are recovered only with its event publication registry. Here the message is
 * part of the commit.
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
    if (!isAddedByStarter(event) && configuration.supports(event)) {
      outbox.add(messages.messageOf(event));
    }
  }

  /** Returns whether the starter adds the event itself. */
  private static boolean isAddedByStarter(Object event) {
    return event.getClass().isAnnotationPresent(OutboxMessage.class);
  }

  /** Returns false: another thread would not be in the publisher's transaction. */
  @Override
  public boolean supportsAsyncExecution() {
    return false;
  }
}
