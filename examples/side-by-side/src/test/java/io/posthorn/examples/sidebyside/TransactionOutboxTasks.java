package io.posthorn.examples.sidebyside;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The tasks with gruelbox's transactionoutbox. */
final class TransactionOutboxTasks {
  private final Users users = new Users();

  // task:publish
  void register(TransactionManager transactions, TransactionOutbox outbox, String email)
      throws SQLException {
    transactions.inTransactionThrows(
        tx -> {
          users.insert(tx.connection(), email);
          outbox.schedule(Mails.class).welcome(email);
        });
  }

  // task:end

  // task:handle
  TransactionOutbox start(TransactionManager transactions, Mails mails) {
    var outbox =
        TransactionOutbox.builder()
            .transactionManager(transactions)
            .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
            .instantiator(Instantiator.using(type -> mails))
            .attemptFrequency(Duration.ofSeconds(10))
            .blockAfterAttempts(10)
            .build();
    var flusher = Executors.newSingleThreadScheduledExecutor();
    var unused = flusher.scheduleWithFixedDelay(outbox::flush, 1, 1, TimeUnit.SECONDS);
    return outbox;
  }

  // task:end

  // task:route
  static class ToKafka {
    private final Producer<String, String> producer;

    ToKafka(Producer<String, String> producer) {
      this.producer = producer;
    }

    void userRegistered(String email, String json) throws Exception {
      producer.send(new ProducerRecord<>("users", email, json)).get();
    }
  }

  void alsoToKafka(TransactionOutbox outbox, String email, String json) throws Exception {
    outbox.schedule(ToKafka.class).userRegistered(email, json);
  }

  // task:end

  // task:requeue
  void requeue(TransactionManager transactions, TransactionOutbox outbox) throws SQLException {
    transactions.inTransactionThrows(
        tx -> {
          var sql = "SELECT id FROM TXNO_OUTBOX WHERE blocked";
          try (var query = tx.connection().prepareStatement(sql);
              var blocked = query.executeQuery()) {
            while (blocked.next()) {
              outbox.unblock(blocked.getString("id"));
            }
          }
        });
  }
  // task:end
}
