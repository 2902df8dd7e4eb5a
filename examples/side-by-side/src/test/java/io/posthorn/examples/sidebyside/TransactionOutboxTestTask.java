package io.posthorn.examples.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.StubPersistor;
import com.gruelbox.transactionoutbox.StubThreadLocalTransactionManager;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import org.junit.jupiter.api.Test;

/** The test with transactionoutbox; it is compiled, not run. */
class TransactionOutboxTestTask {
  private final Mails mails = new Mails();

  // task:test
  @Test
  void a_registered_user_gets_a_mail() {
    var transactions = new StubThreadLocalTransactionManager();
    var outbox =
        TransactionOutbox.builder()
            .transactionManager(transactions)
            .persistor(StubPersistor.builder().build())
            .submitter(Submitter.withExecutor(Runnable::run))
            .instantiator(Instantiator.using(type -> mails))
            .build();

    transactions.inTransaction(() -> outbox.schedule(Mails.class).welcome("ada@example.org"));

    assertThat(mails.sent).containsExactly("ada@example.org");
  }
  // task:end
}
