package io.posthorn.spring.autoconfigure;

import io.posthorn.core.archive.Archive;
import io.posthorn.core.connector.Classifier;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.PostgresqlStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** A relay for the destinations that are beans. */
@AutoConfiguration(after = PosthornAutoConfiguration.class)
@ConditionalOnBean({PostgresqlStore.class, Destination.class})
@ConditionalOnProperty(name = "posthorn.relay.enabled", havingValue = "true", matchIfMissing = true)
public class RelayAutoConfiguration {
  @Bean
  RelayLifecycle posthornRelay(
      PostgresqlStore store,
      Outbox outbox,
      Configured configured,
      PosthornProperties properties,
      ObjectProvider<Destination> destinations,
      ObjectProvider<Observer> observers,
      ObjectProvider<Archive> archive,
      ObjectProvider<Classifier> classifier,
      ObjectProvider<PayloadCipher> cipher) {
    return new RelayLifecycle(
        () -> {
          Relay.Builder relay =
              Relay.on(store, configured.application(), configured.environment())
                  .config(properties.relay().config())
                  .wokenBy(outbox)
                  .observer(observers.orderedStream().reduce(Observer::and).orElse(Observer.NONE));
          if (properties.relay().name() != null) {
            relay.name(properties.relay().name());
          }
          archive.ifAvailable(relay::archive);
          classifier.ifAvailable(relay::classifier);
          cipher.ifAvailable(relay::cipher);
          destinations.orderedStream().forEach(relay::destination);
          return relay.build();
        });
  }
}
