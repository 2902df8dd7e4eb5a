package io.posthorn.postgresql;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.inbox.Verdict;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.Waiting;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Receives messages in the caller's transaction: one round trip for a batch, and a second one only
 * if some of it is to be parked or buried. It neither commits nor closes, and changes no setting of
 * the connection.
 *
 * <p>All that decides is in the database's function {@code posthorn_receive}: there, each statement
 * sees what was committed before it, so that whoever was faster is seen.
 */
final class InboxWriter {
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

  /** What the database says if this is another transaction. */
  private static final String ANOTHER_TRANSACTION = "25000";

  private static final String PARKED = "PARKED";
  private static final Reason ID_REUSED =
      Reason.of(
          Reason.ID_REUSED,
          "another message of this sender has this id, and another payload. If both are meant, requeue this one under a new id");
  private static final Reason OTHER_SENDERS_ID =
      Reason.of(
          Reason.ID_REUSED,
          "a message of another sender has this id, and is parked. Requeue this one under a new id");
  private static final Reason OUT_OF_HORIZON =
      Reason.of(
          Reason.OUT_OF_HORIZON,
          "its id says that it is older than receipts are kept, or from the future, so whether it was handled before is not known. Requeue it if it was not");

  /** Relays look for the code as often. */
  private static final Duration UNSERVED_PAUSE = Duration.ofSeconds(5);

  private enum Purpose {
    RECEIVE,
    STORE,
    HANDLE,
    ONCE
  }

  private final Tables tables;

  InboxWriter(Tables tables) {
    this.tables = tables;
  }

  List<Verdict> receive(Connection tx, Consumer consumer, List<Received> messages) {
    return take(tx, consumer, Purpose.RECEIVE, messages);
  }

  List<Verdict> handle(Connection tx, Consumer consumer, List<Received> messages) {
    return take(tx, consumer, Purpose.HANDLE, messages);
  }

  private List<Verdict> take(
      Connection tx, Consumer consumer, Purpose purpose, List<Received> messages) {
    if (messages.isEmpty()) {
      return List.of();
    }
    return translating(
        purpose == Purpose.RECEIVE ? "receiving" : "handling",
        consumer,
        messages,
        () -> {
          Arrivals arrivals = new Arrivals(messages);
          List<String> said = ask(tx, consumer, purpose, arrivals);
          ArrivalParker parker = new ArrivalParker(tx, tables, consumer);
          if (said.contains(PARKED)) {
            parked(parker, arrivals, parker.park(arrivals, said, ArrivalParker.Wait.TURN));
          }
          return bury(parker, arrivals, said);
        });
  }

  void store(Connection tx, Consumer consumer, List<Received> messages) {
    if (messages.isEmpty()) {
      return;
    }
    translating(
        "storing",
        consumer,
        messages,
        () -> {
          Arrivals arrivals = new Arrivals(messages);
          ArrivalParker parker = new ArrivalParker(tx, tables, consumer);
          ArrivalParker.Parked stored = parker.store(arrivals);
          parked(parker, arrivals, stored);
          return bury(parker, arrivals, stored.verdicts());
        });
  }

  void park(Connection tx, Consumer consumer, Received message, Reason reason, Duration delay) {
    park(tx, consumer, message, new ArrivalParker.Wait(Waiting.RETRY, delay, 1, reason));
  }

  void parkUnserved(Connection tx, Consumer consumer, Received message) {
    Reason reason =
        Reason.of(Reason.UNSERVED, "no handler for type '%s'".formatted(message.message().type()));
    park(tx, consumer, message, new ArrivalParker.Wait(Waiting.CODE, UNSERVED_PAUSE, 0, reason));
  }

  private void park(Connection tx, Consumer consumer, Received message, ArrivalParker.Wait wait) {
    List<Received> one = List.of(message);
    translating(
        "parking",
        consumer,
        one,
        () -> {
          Arrivals arrivals = new Arrivals(one);
          List<String> said = ask(tx, consumer, Purpose.STORE, arrivals);
          ArrivalParker parker = new ArrivalParker(tx, tables, consumer);
          if (said.get(0).equals(PARKED)) {
            parked(parker, arrivals, parker.park(arrivals, said, wait));
          }
          return bury(parker, arrivals, said);
        });
  }

  void bury(Connection tx, Consumer consumer, Received message, Reason reason) {
    List<Received> one = List.of(message);
    translating(
        "burying",
        consumer,
        one,
        () -> {
          Arrivals arrivals = new Arrivals(one);
          List<String> said = ask(tx, consumer, Purpose.STORE, arrivals);
          ArrivalParker parker = new ArrivalParker(tx, tables, consumer);
          if (said.get(0).equals(PARKED)) {
            parker.buryRejected(message, reason);
            return List.of(Verdict.DEAD);
          }
          return bury(parker, arrivals, said);
        });
  }

  boolean once(Connection tx, String consumer, Received message) {
    Consumer name = new Consumer(consumer, false);
    List<Received> one = List.of(message);
    String said =
        translating(
            "noting", name, one, () -> ask(tx, name, Purpose.ONCE, new Arrivals(one)).get(0));
    return switch (said) {
      case "NEW", "AGAIN" -> true;
      case "DUPLICATE" -> false;
      case Reason.ID_REUSED ->
          throw new PosthornException(
              ErrorCode.ID_REUSED,
              "id %s was not noted by '%s': it belongs to another payload, which came before. Give each request its own id."
                  .formatted(message.message().id(), consumer));
      default ->
          throw new PosthornException(
              ErrorCode.OUT_OF_HORIZON,
              "id %s was not noted by '%s': its time is more than %d days ago or in the future, so whether it was handled before is not known. Give what is new a new id."
                  .formatted(message.message().id(), consumer, ReceiptRing.HORIZON));
    };
  }

  void seal(Connection tx) {
    try (Query query = new Query(tx, tables, Database.Settings.NONE, SEAL)) {
      query.any();
    } catch (SQLException e) {
      if (!ANOTHER_TRANSACTION.equals(e.getSQLState())) {
        throw Failures.translateInTransaction("committing what handlers did", e);
      }
      throw new PosthornException(
          ErrorCode.HANDLERS_TRANSACTION,
          "what the handlers did was not committed: one of them has ended the transaction by itself (a COMMIT or ROLLBACK sent as a statement, or a call of the connection below the one it was given), so the receipts are gone. Everything was rolled back. Remove the call; throw an exception to have everything rolled back.",
          e);
    }
  }

  private List<String> ask(Connection tx, Consumer consumer, Purpose purpose, Arrivals arrivals)
      throws SQLException {
    try (Query query = new Query(tx, tables, Database.Settings.NONE, RECEIVE)) {
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

  /** Ids are unique within a sender, but parked messages are told apart by their ids alone. */
  private static void parked(ArrivalParker parker, Arrivals arrivals, ArrivalParker.Parked parked)
      throws SQLException {
    for (int i = 0; i < arrivals.distinct().size(); i++) {
      Received received = arrivals.distinct().get(i);
      List<String> name = List.of(received.sender(), received.message().id().toString());
      if (parked.verdicts().get(i).equals(PARKED) && !parked.messages().contains(name)) {
        parker.bury(received, OTHER_SENDERS_ID);
      }
    }
  }

  private static List<Verdict> bury(ArrivalParker parker, Arrivals arrivals, List<String> said)
      throws SQLException {
    List<Verdict> verdicts = new ArrayList<>();
    for (int i = 0; i < said.size(); i++) {
      Received received = arrivals.distinct().get(i);
      switch (said.get(i)) {
        case Reason.ID_REUSED -> {
          parker.bury(received, ID_REUSED);
          verdicts.add(Verdict.DEAD);
        }
        case Reason.OUT_OF_HORIZON -> {
          parker.bury(received, OUT_OF_HORIZON);
          verdicts.add(Verdict.DEAD);
        }
        // By a person's will, whatever its sequence is.
        case "AGAIN" -> verdicts.add(Verdict.NEW);
        default -> verdicts.add(Verdict.valueOf(said.get(i)));
      }
    }
    if (!verdicts.contains(Verdict.PAUSED)) {
      for (Received impostor : arrivals.impostors()) {
        parker.bury(impostor, ID_REUSED);
      }
    }
    return arrivals.spread(verdicts);
  }

  private interface Work<T> {
    T run() throws SQLException;
  }

  private static <T> T translating(
      String what, Consumer consumer, List<Received> messages, Work<T> work) {
    try {
      return work.run();
    } catch (SQLException e) {
      String more = messages.size() == 1 ? "" : " and %d more".formatted(messages.size() - 1);
      throw Failures.translateInTransaction(
          "%s message %s%s by '%s'".formatted(what, messages.get(0), more, consumer.name()), e);
    }
  }
}
