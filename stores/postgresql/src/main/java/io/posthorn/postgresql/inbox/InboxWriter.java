package io.posthorn.postgresql.inbox;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.Death;
import io.posthorn.core.inbox.InboxResult;
import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.Waiting;
import io.posthorn.postgresql.schema.ReceiptRing;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Settings;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.SqlFailures;
import io.posthorn.postgresql.sql.TableNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Receives messages in the caller's transaction: one round trip for a batch, and a second one only
 * if messages must be parked or buried. It neither commits nor closes the connection, and changes
 * none of its settings.
 *
 * <p>The database's function {@code posthorn_receive} makes all decisions. Each of its statements
 * sees what was committed before it, and so the work of a faster consumer.
 */
public final class InboxWriter {
  private static final Sql RECEIVE =
      Sql.of(
          "receive",
          """
          SELECT posthorn_receive(:consumer, :purpose, :latestWins, :receipts, :guarded,
                                  CAST(:senders AS text[]), CAST(:ids AS uuid[]), CAST(:days AS int[]), CAST(:digests AS bytea[]),
                                  CAST(:types AS text[]), CAST(:aggregateTypes AS text[]), CAST(:keys AS text[]),
                                  CAST(:sequences AS bigint[]))
          """);

  private static final Sql SEAL = Sql.of("seal", "SELECT posthorn_seal()");

  /** The SQLSTATE of {@code posthorn_seal} in another transaction than that of the receipts. */
  private static final String ANOTHER_TRANSACTION = "25000";

  /** How long a message waits for code; relays check as often. */
  private static final Duration UNSERVED_PAUSE = Duration.ofSeconds(5);

  private enum Purpose {
    RECEIVE,
    STORE,
    HANDLE,
    ONCE
  }

  private final TableNames tables;

  public InboxWriter(TableNames tables) {
    this.tables = tables;
  }

  public InboxResult receive(Connection tx, Consumer consumer, List<Received> messages) {
    return take(
        "receiving",
        consumer,
        messages,
        arrivals -> {
          List<String> said = ask(tx, consumer, Purpose.RECEIVE, arrivals);
          return new Burials(tx, tables, consumer, arrivals).park(said, ArrivalParker.Wait.TURN);
        });
  }

  public List<InboxVerdict> handle(Connection tx, Consumer consumer, List<Received> messages) {
    return take(
            "handling",
            consumer,
            messages,
            arrivals -> {
              List<String> said = ask(tx, consumer, Purpose.HANDLE, arrivals);
              return new InboxResult(said.stream().map(Burials::verdict).toList(), List.of());
            })
        .verdicts();
  }

  public InboxResult store(Connection tx, Consumer consumer, List<Received> messages) {
    return take(
        "storing",
        consumer,
        messages,
        arrivals -> new Burials(tx, tables, consumer, arrivals).store());
  }

  public InboxResult park(
      Connection tx,
      Consumer consumer,
      Received message,
      Reason reason,
      Duration delay,
      int attempts) {
    return park(
        tx, consumer, message, new ArrivalParker.Wait(Waiting.RETRY, delay, attempts, reason));
  }

  public InboxResult parkUnserved(Connection tx, Consumer consumer, Received message) {
    Reason reason =
        Reason.of(Reason.UNSERVED, "no handler for type '%s'".formatted(message.message().type()));
    return park(
        tx, consumer, message, new ArrivalParker.Wait(Waiting.CODE, UNSERVED_PAUSE, 0, reason));
  }

  private InboxResult park(
      Connection tx, Consumer consumer, Received message, ArrivalParker.Wait wait) {
    return take(
        "parking",
        consumer,
        List.of(message),
        arrivals -> {
          List<String> said = ask(tx, consumer, Purpose.STORE, arrivals);
          return new Burials(tx, tables, consumer, arrivals).park(said, wait);
        });
  }

  public InboxResult bury(Connection tx, Consumer consumer, Received message, Reason reason) {
    return take(
        "burying",
        consumer,
        List.of(message),
        arrivals -> {
          List<String> said = ask(tx, consumer, Purpose.STORE, arrivals);
          return new Burials(tx, tables, consumer, arrivals).bury(said, reason);
        });
  }

  public boolean once(Connection tx, String consumer, Received message) {
    Consumer name = new Consumer(consumer, false);
    List<Received> one = List.of(message);
    String said =
        translating(
            "noting", name, one, () -> ask(tx, name, Purpose.ONCE, new ReceivedBatch(one)).get(0));
    return switch (said) {
      case "NEW", "AGAIN" -> true;
      case "DUPLICATE" -> false;
      case Reason.ID_REUSED ->
          throw new PosthornException(
              ErrorCode.ID_REUSED,
              "id %s was not recorded for '%s': it belongs to an earlier message with another payload. Give each request its own id."
                  .formatted(message.message().id(), consumer));
      default ->
          throw new PosthornException(
              ErrorCode.OUT_OF_HORIZON,
              "id %s was not recorded for '%s': its time is more than %d days ago or in the future, so it is unknown whether it was handled before. Give a new request a new id."
                  .formatted(message.message().id(), consumer, ReceiptRing.HORIZON));
    };
  }

  public void seal(Connection tx) {
    try (Query query = new Query(tx, tables, Settings.NONE, SEAL)) {
      query.any();
    } catch (SQLException e) {
      if (!ANOTHER_TRANSACTION.equals(e.getSQLState())) {
        throw SqlFailures.translateInTransaction("committing what handlers did", e);
      }
      throw new PosthornException(
          ErrorCode.HANDLERS_TRANSACTION,
          "the work of the handlers was not committed: one of them has ended the transaction (it sent COMMIT or ROLLBACK as a statement, or used the connection that the given one wraps), so the receipts are gone. Everything was rolled back. Remove the call; throw an exception to roll everything back.",
          e);
    }
  }

  private List<String> ask(
      Connection tx, Consumer consumer, Purpose purpose, ReceivedBatch arrivals)
      throws SQLException {
    try (Query query = new Query(tx, tables, Settings.NONE, RECEIVE)) {
      return Objects.requireNonNull(
          arrivals
              .setIdentities(query)
              .set("consumer", consumer.name())
              .set("purpose", purpose.name())
              .set("latestWins", consumer.latestWins())
              .set("receipts", !consumer.idempotent())
              .set("guarded", consumer.guarded())
              .first(row -> List.of((String[]) row.getArray(1).getArray())));
    }
  }

  /** Processes messages with different ids and returns their verdicts. */
  private interface Work {
    InboxResult on(ReceivedBatch arrivals) throws SQLException;
  }

  private static InboxResult take(
      String what, Consumer consumer, List<Received> messages, Work work) {
    return translating(what, consumer, messages, () -> takeAll(messages, work));
  }

  private static InboxResult takeAll(List<Received> messages, Work work) throws SQLException {
    if (messages.isEmpty()) {
      return new InboxResult(List.of(), List.of());
    }
    ReceivedBatch arrivals = new ReceivedBatch(messages);
    InboxResult first = work.on(arrivals);
    InboxResult then = takeAll(arrivals.others(), work);
    List<Death> deaths = new ArrayList<>(first.deaths());
    deaths.addAll(then.deaths());
    return new InboxResult(arrivals.spread(first.verdicts(), then.verdicts()), deaths);
  }

  private interface Asking<T> {
    T run() throws SQLException;
  }

  private static <T> T translating(
      String what, Consumer consumer, List<Received> messages, Asking<T> asking) {
    try {
      return asking.run();
    } catch (SQLException e) {
      String more = messages.size() == 1 ? "" : " and %d more".formatted(messages.size() - 1);
      throw SqlFailures.translateInTransaction(
          "%s message %s%s by '%s'".formatted(what, messages.get(0), more, consumer.name()), e);
    }
  }
}
