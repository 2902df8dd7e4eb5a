package io.posthorn.spring.modulith;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadWriter;
import java.util.Optional;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.BrokerRouting;

/**
 * Turns externalized events into messages. The type is the one registered for the class, or else
 * the routing target. The key is that of the registered type, or else the routing key; messages of
 * one routing key to one target keep their order.
 */
final class ExternalizedMessages {
  /** The header with the event's routing target, for addresses like {@code {header.target}}. */
  static final String TARGET = "target";

  private final EventExternalizationConfiguration configuration;
  private final MessageTypes types;
  private final PayloadWriter writer;
  private final StandardEvaluationContext expressions = new StandardEvaluationContext();

  ExternalizedMessages(
      EventExternalizationConfiguration configuration,
      MessageTypes types,
      PayloadWriter writer,
      BeanFactory beans) {
    this.configuration = configuration;
    this.types = types;
    this.writer = writer;
    expressions.setBeanResolver(new BeanFactoryResolver(beans));
  }

  Message messageOf(Object event) {
    Object mapped = configuration.map(event);
    if (mapped instanceof Message message) {
      return message;
    }
    BrokerRouting routing = BrokerRouting.of(configuration.determineTarget(event), expressions);
    String target = routing.getTarget(mapped);
    Optional<MessageType> type = types.registered(mapped.getClass());
    Message.Builder message =
        type.isPresent()
            ? types.message(mapped, writer)
            : Message.of(target).json(bytesOf(mapped, target));
    String key = routing.getKey(mapped);
    if (key != null && type.map(MessageType::keyOf).isEmpty()) {
      message.key(target, key);
    }
    message.header(TARGET, target);
    configuration
        .getHeadersFor(mapped)
        .forEach((name, value) -> message.header(name, String.valueOf(value)));
    return message.build();
  }

  private byte[] bytesOf(Object mapped, String target) {
    try {
      return writer.write(mapped);
    } catch (Exception e) {
      throw new PosthornException(
          ErrorCode.PAYLOAD_NOT_WRITTEN,
          "message '%s' was not made: the payload writer could not write a %s. See the cause."
              .formatted(target, mapped.getClass().getName()),
          e);
    }
  }
}
