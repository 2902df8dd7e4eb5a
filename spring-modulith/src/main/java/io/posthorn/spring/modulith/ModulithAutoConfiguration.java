package io.posthorn.spring.modulith;

import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadWriter;
import io.posthorn.spring.TransactionalOutbox;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.config.EventExternalizationAutoConfiguration;

/** Points Spring Modulith's event externalization at the outbox. */
@AutoConfiguration(
    after = EventExternalizationAutoConfiguration.class,
    afterName = "io.posthorn.spring.autoconfigure.PosthornAutoConfiguration")
@ConditionalOnBean({TransactionalOutbox.class, EventExternalizationConfiguration.class})
@ConditionalOnProperty(
    name = "spring.modulith.events.externalization.enabled",
    havingValue = "true",
    matchIfMissing = true)
@Import(ExternalizedTypes.class)
public class ModulithAutoConfiguration {
  @Bean
  ExternalizedEvents posthornExternalizedEvents(
      EventExternalizationConfiguration configuration,
      TransactionalOutbox outbox,
      MessageTypes types,
      ObjectProvider<PayloadWriter> writer,
      BeanFactory beans) {
    PayloadWriter chosen = writer.getIfAvailable(() -> ModulithAutoConfiguration::noWriter);
    return new ExternalizedEvents(
        configuration, outbox, new ExternalizedMessages(configuration, types, chosen, beans));
  }

  private static byte[] noWriter(Object event) {
    throw new UnsupportedOperationException(
        "there is neither a bean of type PayloadWriter nor Spring Boot's own Jackson mapper");
  }
}
