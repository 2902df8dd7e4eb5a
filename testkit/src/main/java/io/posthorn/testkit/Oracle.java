package io.posthorn.testkit;

import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * Knows what must arrive. Each business transaction appends (key, n) to a list in the database and
 * adds a message with the same content; afterwards, key by key, what the consumer saw without
 * duplicates must equal the list. Lost, phantom, reordered and corrupted messages are all found at
 * once, whatever else went wrong on the way.
 *
 * <p>Safe for use by many threads, and by many processes: those that receive print or append {@link
 * #line} for each message, and the one that judges collects the lines with {@link #observeLine}.
 */
public final class Oracle {
  /** The type of its messages. */
  public static final String TYPE = "OracleEntry";

  /** For the outbox that its messages are added to. */
  public static final MessageTypes TYPES = MessageTypes.named(TYPE);

  /** The aggregate type of its keys. */
  public static final String AGGREGATE = "Oracle";

  private final OracleTables tables;
  private final Map<String, SeenNumbers> seen = new ConcurrentHashMap<>();
  private final AtomicLong observed = new AtomicLong();
  private final List<String> corrupted = new ArrayList<>();

  private Oracle(OracleTables tables) {
    this.tables = tables;
  }

  /** Judges what is written in this database; creates its two tables if they are missing. */
  public static Oracle in(DataSource dataSource) {
    OracleTables tables = new OracleTables(dataSource);
    tables.create();
    return new Oracle(tables);
  }

  /** Creates the aggregates; a transaction can only write to keys that exist. */
  public Oracle keys(Collection<String> keys) {
    tables.createAggregates(keys);
    return this;
  }

  /**
   * One message for each of these keys, which may repeat, in the connection's running transaction.
   * It locks the aggregates first, in the order of their names, so that the order of their messages
   * is the order of the transactions. Neither commits nor closes.
   */
  public void produce(Connection tx, Outbox outbox, List<String> keys) throws SQLException {
    produce(tx, outbox, keys, 0);
  }

  /**
   * The same, with payloads of about {@code payloadBytes} bytes.
   *
   * @return what was added, in order
   */
  public List<Message> produce(Connection tx, Outbox outbox, List<String> keys, int payloadBytes)
      throws SQLException {
    List<OracleEntry> entries = tables.append(tx, keys);
    List<Message> messages = entries.stream().map(entry -> entry.message(payloadBytes)).toList();
    outbox.add(tx, messages);
    return messages;
  }

  /** The consumer got this message. */
  public void observe(Message message) {
    observeLine(line(message));
  }

  /** What was observed, as one line of plain text. */
  public static String line(Message message) {
    return OracleEntry.line(message);
  }

  /** Takes a line that {@link #line} made; other lines are left alone. */
  public void observeLine(String line) {
    if (!line.startsWith(OracleEntry.PREFIX)) {
      return;
    }
    observed.incrementAndGet();
    OracleEntry entry = OracleEntry.parse(line);
    if (entry == null) {
      synchronized (corrupted) {
        corrupted.add(line);
      }
    } else {
      seen.computeIfAbsent(entry.key(), key -> new SeenNumbers()).add(entry.n());
    }
  }

  /** How many messages were observed so far, duplicates included. */
  public long observed() {
    return observed.get();
  }

  /** How many messages are committed until now. */
  public long committed() {
    return tables.count();
  }

  /** How many different ones were observed so far. */
  public long distinct() {
    return seen.values().stream().mapToLong(SeenNumbers::distinct).sum();
  }

  /** Compares what was committed until now with what was observed until now. */
  public OracleReport verdict() {
    OracleReport.Judge judge = new OracleReport.Judge();
    Map<String, List<Long>> committed = tables.committed();
    committed.forEach(
        (key, list) -> judge.compare(key, list, seen.getOrDefault(key, SeenNumbers.NOTHING)));
    seen.forEach(
        (key, was) -> {
          if (!committed.containsKey(key)) {
            judge.compare(key, List.of(), was);
          }
        });
    synchronized (corrupted) {
      corrupted.forEach(judge::corrupted);
    }
    return judge.verdict();
  }

  /** Fails, with the first offenders, unless all that was committed has arrived in order. */
  public void assertClean() {
    verdict().assertClean();
  }
}
