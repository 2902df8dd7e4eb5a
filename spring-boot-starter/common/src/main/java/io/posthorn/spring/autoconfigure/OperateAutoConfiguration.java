package io.posthorn.spring.autoconfigure;

import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.operate.story.Messages;
import io.posthorn.postgresql.PostgresqlStore;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * What people operate, as beans for pages and endpoints of the application. The database role of
 * the DataSource needs the rights of an operator to use them; creating them needs none.
 */
@AutoConfiguration(after = PosthornAutoConfiguration.class)
@ConditionalOnBean(PostgresqlStore.class)
public class OperateAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  DeadLetters posthornDeadLetters(
      PostgresqlStore store, ListableBeanFactory beans, ObjectProvider<PayloadCipher> cipher) {
    // Upcasters are methods of beans, which need not exist yet.
    return DeadLetters.on(store, () -> Receivings.types(beans))
        .cipher(cipher.getIfAvailable(() -> PayloadCipher.NONE));
  }

  @Bean
  @ConditionalOnMissingBean
  Operations posthornOperations(PostgresqlStore store) {
    return Operations.on(store);
  }

  @Bean
  @ConditionalOnMissingBean
  Steering posthornSteering(PostgresqlStore store) {
    return Steering.on(store);
  }

  @Bean
  @ConditionalOnMissingBean
  Messages posthornMessages(PostgresqlStore store) {
    return Messages.on(store);
  }

  @Bean
  @ConditionalOnMissingBean
  Inbox posthornInbox(PostgresqlStore store) {
    return Inbox.on(store);
  }

  @Bean
  @ConditionalOnMissingBean
  Audit posthornAudit(PostgresqlStore store) {
    return Audit.on(store);
  }

  @Bean
  @ConditionalOnMissingBean
  Restore posthornRestore(PostgresqlStore store) {
    return Restore.on(store);
  }
}
