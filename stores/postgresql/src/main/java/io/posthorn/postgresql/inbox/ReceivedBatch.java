package io.posthorn.postgresql.inbox;

import io.posthorn.core.inbox.InboxVerdict;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.Sha256;
import io.posthorn.core.source.Received;
import io.posthorn.postgresql.message.HeadersJson;
import io.posthorn.postgresql.sql.Query;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Messages that arrived together, as arrays for the database. Each message occurs once, although
 * the batch may contain copies.
 */
final class ReceivedBatch {
  private static final int VERSION_WITH_TIME = 7;
  private static final long MILLIS_OF_DAY = 86_400_000L;

  private record Identity(String sender, UUID id) {}

  private final List<Received> distinct = new ArrayList<>();
  private final List<byte[]> digests = new ArrayList<>();
  private final List<Received> others = new ArrayList<>();

  /**
   * For each message, its place among the distinct ones, or among the others, counted down from −1.
   */
  private final List<Integer> places = new ArrayList<>();

  ReceivedBatch(List<Received> messages) {
    Map<Identity, Integer> seen = new HashMap<>();
    MessageDigest sha256 = Sha256.start();
    for (Received received : messages) {
      byte[] payload = received.message().payload();
      Identity identity = new Identity(received.sender(), received.message().id());
      Integer before = seen.putIfAbsent(identity, distinct.size());
      if (before == null) {
        places.add(distinct.size());
        distinct.add(received);
        digests.add(sha256.digest(payload));
      } else if (Arrays.equals(payload, distinct.get(before).message().payload())) {
        places.add(before);
      } else {
        others.add(received);
        places.add(-others.size());
      }
    }
  }

  List<Received> distinct() {
    return distinct;
  }

  /**
   * Returns the messages with the id of an earlier one and another payload. The receipts decide
   * which of them owns the id, once the earlier message has its receipt.
   */
  List<Received> others() {
    return others;
  }

  /**
   * Returns the verdicts of all messages, in their order, from those of the distinct messages and
   * of the others.
   */
  List<InboxVerdict> spread(List<InboxVerdict> ofDistinct, List<InboxVerdict> ofOthers) {
    List<InboxVerdict> verdicts = new ArrayList<>(places.size());
    boolean[] told = new boolean[distinct.size()];
    for (int place : places) {
      if (place < 0) {
        verdicts.add(ofOthers.get(-place - 1));
      } else {
        InboxVerdict first = ofDistinct.get(place);
        verdicts.add(told[place] && first != InboxVerdict.PAUSED ? InboxVerdict.DUPLICATE : first);
        told[place] = true;
      }
    }
    return verdicts;
  }

  /** Sets the parameters of {@code posthorn_receive}. */
  Query setIdentities(Query query) throws SQLException {
    int size = distinct.size();
    @Nullable Integer[] days = new Integer[size];
    Long[] sequences = new Long[size];
    for (int i = 0; i < size; i++) {
      Message message = distinct.get(i).message();
      days[i] = day(message.id());
      sequences[i] = message.sequence();
    }
    return setKeys(query)
        .setArray("days", "int4", days)
        .setArray("digests", "bytea", digests.toArray(new byte[0][]))
        .setArray("sequences", "int8", sequences);
  }

  /** Sets the parameters of whole messages. */
  Query setMessages(Query query) throws SQLException {
    int size = distinct.size();
    Integer[] schemaVersions = new Integer[size];
    byte[][] payloads = new byte[size][];
    String[] contentTypes = new String[size];
    String[] headers = new String[size];
    String[] occurredAts = new String[size];
    @Nullable String[] notBefores = new String[size];
    Long[] sequences = new Long[size];
    for (int i = 0; i < size; i++) {
      Message message = distinct.get(i).message();
      schemaVersions[i] = message.schemaVersion();
      payloads[i] = message.payload();
      contentTypes[i] = message.contentType();
      headers[i] = HeadersJson.write(message.headers());
      occurredAts[i] = text(message.occurredAt());
      notBefores[i] = text(message.notBefore());
      sequences[i] = message.sequence();
    }
    return setKeys(query)
        .setArray("schemaVersions", "int4", schemaVersions)
        .setArray("payloads", "bytea", payloads)
        .setArray("contentTypes", "text", contentTypes)
        .setArray("headers", "text", headers)
        .setArray("occurredAts", "text", occurredAts)
        .setArray("notBefores", "text", notBefores)
        .setArray("sequences", "int8", sequences);
  }

  private Query setKeys(Query query) throws SQLException {
    int size = distinct.size();
    String[] senders = new String[size];
    UUID[] ids = new UUID[size];
    String[] types = new String[size];
    @Nullable String[] aggregateTypes = new String[size];
    @Nullable String[] keys = new String[size];
    for (int i = 0; i < size; i++) {
      Message message = distinct.get(i).message();
      Key key = message.key();
      senders[i] = distinct.get(i).sender();
      ids[i] = message.id();
      types[i] = message.type();
      aggregateTypes[i] = key == null ? null : key.aggregateType();
      keys[i] = key == null ? null : key.id();
    }
    return query
        .setArray("senders", "text", senders)
        .setArray("ids", "uuid", ids)
        .setArray("types", "text", types)
        .setArray("aggregateTypes", "text", aggregateTypes)
        .setArray("keys", "text", keys);
  }

  /** Returns the day since 1970 in an id that contains a time, else null. */
  static @Nullable Integer day(UUID id) {
    return id.version() == VERSION_WITH_TIME && id.variant() == 2
        ? (int) ((id.getMostSignificantBits() >>> 16) / MILLIS_OF_DAY)
        : null;
  }

  private static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.atOffset(ZoneOffset.UTC).toString();
  }
}
