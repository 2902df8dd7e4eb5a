package io.posthorn.spring.autoconfigure;

import io.posthorn.core.bus.ApplicationHandlers;
import io.posthorn.core.message.Limits;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.message.PayloadWriter;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.trace.Tracing;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.spring.EventMessages;
import io.posthorn.spring.OutboxTransactions;
import io.posthorn.spring.PublishedEvents;
import io.posthorn.spring.TransactionalOutbox;
import io.posthorn.spring.connector.PropertyConnectors;
import io.posthorn.spring.connector.Surroundings;
import io.posthorn.spring.handler.MessageHandlers;
import java.util.concurrent.ThreadFactory;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** The outbox on the application's DataSource, within the application's transactions. */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
    })
@ConditionalOnBean(DataSource.class)
@ConditionalOnProperty(name = "posthorn.enabled", havingValue = "true", matchIfMissing = true)
@EnableConfigurationProperties(PosthornProperties.class)
public class PosthornAutoConfiguration {
  @Bean
  Configured posthornConfigured(
      PosthornProperties properties, Environment environment, ListableBeanFactory beans) {
    return Configured.of(properties, environment, beans);
  }

  @Bean
  OutboxDataSource posthornDataSource(
      PosthornProperties properties, ListableBeanFactory beans, Configured configured) {
    return OutboxDataSource.of(properties, beans, configured.problems());
  }

  @Bean
  @ConditionalOnMissingBean
  PostgresqlStore posthornStore(OutboxDataSource outbox, Configured configured) {
    return PostgresqlStore.on(outbox.dataSource(), configured.tables());
  }

  @Bean
  @ConditionalOnMissingBean
  MessageTypes posthornMessageTypes(Configured configured) {
    return MessageTypes.learning(configured.types().toArray(MessageType[]::new));
  }

  @Bean
  @ConditionalOnMissingBean
  Outbox posthornOutbox(
      PostgresqlStore store,
      MessageTypes types,
      PosthornProperties properties,
      ObjectProvider<PayloadCipher> cipher,
      ObjectProvider<Tracing> tracing) {
    // A larger value is capped here; the configuration check reports it with all other problems.
    int mostBytes =
        (int) Math.min(Limits.MOST_PAYLOAD_BYTES, properties.outbox().maxPayloadSize().toBytes());
    return Outbox.on(store, types)
        .limits(new Limits(mostBytes))
        .cipher(cipher.getIfAvailable(() -> PayloadCipher.NONE))
        .tracing(tracing.getIfAvailable(() -> Tracing.NONE))
        .build();
  }

  /** Lazy: the methods are found when all beans exist, and nothing needs them earlier. */
  @Bean
  @Lazy
  MessageHandlers posthornMessageHandlers(ConfigurableListableBeanFactory beans) {
    return MessageHandlers.in(beans);
  }

  // No default candidate: beans that inject any ThreadFactory must not get this one.
  @Bean(name = HandlerThreads.BEAN, defaultCandidate = false)
  @ConditionalOnMissingBean(name = HandlerThreads.BEAN)
  ThreadFactory posthornHandlerThreads(Environment environment) {
    return HandlerThreads.in(environment);
  }

  @Bean
  PropertyConnectors posthornConnectors(
      PosthornProperties properties,
      Configured configured,
      Environment environment,
      ObjectProvider<SslBundles> bundles,
      BeanFactory beans) {
    return PropertyConnectors.of(
        properties.destinations(),
        properties.sources(),
        new Surroundings(
            environment,
            bundles.getIfAvailable(DefaultSslBundleRegistry::new),
            "/" + configured.application(),
            beans),
        properties.relay().enabled(),
        configured.problems());
  }

  @Bean
  @Lazy(false)
  ConfigurationCheck posthornConfigurationCheck(
      Configured configured,
      PosthornProperties properties,
      OutboxDataSource outbox,
      PropertyConnectors connectors,
      ListableBeanFactory beans) {
    return new ConfigurationCheck(configured, properties, outbox, connectors, beans);
  }

  // Spring Boot adds it to the transaction managers that it creates.
  @Bean
  OutboxTransactions posthornTransactions(OutboxDataSource dataSource, Outbox outbox) {
    return new OutboxTransactions(dataSource.dataSource(), outbox);
  }

  /** Adds the listener to transaction managers that the application created itself. */
  @Bean
  SmartInitializingSingleton posthornTransactionManagers(
      OutboxTransactions transactions, ObjectProvider<PlatformTransactionManager> managers) {
    return () -> managers.forEach(manager -> listen(manager, transactions));
  }

  private static void listen(PlatformTransactionManager manager, OutboxTransactions transactions) {
    if (manager instanceof ConfigurableTransactionManager configurable
        && !configurable.getTransactionExecutionListeners().contains(transactions)) {
      configurable.addListener(transactions);
    }
  }

  @Bean
  @ConditionalOnMissingBean
  EventMessages posthornEventMessages(MessageTypes types, ObjectProvider<PayloadWriter> writer) {
    return new EventMessages(
        types, writer.getIfAvailable(() -> PosthornAutoConfiguration::noWriter));
  }

  @Bean
  @ConditionalOnMissingBean
  @Lazy(false)
  TransactionalOutbox transactionalOutbox(
      Outbox outbox, OutboxTransactions transactions, EventMessages events) {
    return new TransactionalOutbox(outbox, transactions, events);
  }

  private static byte[] noWriter(Object event) {
    throw new UnsupportedOperationException(
        "there is neither a bean of type PayloadWriter nor Spring Boot's own Jackson mapper: add spring-boot-starter-json");
  }

  @Bean
  PublishedEvents posthornPublishedEvents(TransactionalOutbox outbox) {
    return new PublishedEvents(outbox);
  }

  // For tests of the application, which run the handlers without a relay of the application.
  @Bean
  @Lazy
  ApplicationHandlers posthornApplicationHandlers(
      MessageHandlers handlers,
      Configured configured,
      PosthornProperties properties,
      OutboxDataSource outbox,
      PropertyConnectors connectors,
      ListableBeanFactory beans) {
    return new BeanHandlers(
        handlers, new BusMaker(configured, properties, outbox, connectors, beans));
  }

  @Bean
  @ConditionalOnProperty(name = "posthorn.migrate", havingValue = "true")
  MigrationLifecycle posthornMigration(OutboxDataSource outbox, Configured configured) {
    return new MigrationLifecycle(outbox.dataSource(), new Migrations(configured.tables()));
  }
}
