package io.posthorn.core.store;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way to one destination.
 *
 * @param seq its place in the log
 * @param recordedAt when it was stored, by the database's clock
 * @param attempts how many attempts were made before
 * @param failingFor the time since its first failed attempt; zero if none has failed
 * @param parked it comes from the parked messages, not from the log
 * @param cipherKey the key its payload is encrypted with, if any
 * @param attemptsBefore how many of the attempts were made before it was requeued; they do not
 *     count against its retries
 * @param once it was requeued for a single attempt
 * @param age the time since it was stored, was to be delivered at the earliest, or was requeued, by
 *     the database's clock at the claim; only of parked ones
 * @param suspectFor the time since it failed first without being blamed, and was neither blamed nor
 *     sent since; zero if that is not so
 * @param sender who sent it, if it was received: then its message has the sender's sequence
 * @param unreadable why its row cannot be read, if so: what could not be read is empty, and it is
 *     never handed over
 */
public record Delivery(
    Message message,
    long seq,
    Instant recordedAt,
    int attempts,
    Duration failingFor,
    boolean parked,
    @Nullable String cipherKey,
    int attemptsBefore,
    boolean once,
    Duration age,
    Duration suspectFor,
    @Nullable String sender,
    @Nullable Reason unreadable) {

  /** One whose row could be read. */
  public Delivery(
      Message message,
      long seq,
      Instant recordedAt,
      int attempts,
      Duration failingFor,
      boolean parked,
      @Nullable String cipherKey,
      int attemptsBefore,
      boolean once,
      Duration age,
      Duration suspectFor,
      @Nullable String sender) {
    this(
        message,
        seq,
        recordedAt,
        attempts,
        failingFor,
        parked,
        cipherKey,
        attemptsBefore,
        once,
        age,
        suspectFor,
        sender,
        unreadable(message));
  }

  /** One that was never requeued, and not received. */
  public Delivery(
      Message message,
      long seq,
      Instant recordedAt,
      int attempts,
      Duration failingFor,
      boolean parked,
      @Nullable String cipherKey) {
    this(
        message,
        seq,
        recordedAt,
        attempts,
        failingFor,
        parked,
        cipherKey,
        0,
        false,
        Duration.ZERO,
        Duration.ZERO,
        null);
  }

  /** The letter of one that could not be read was requeued: there is nothing to send. */
  private static @Nullable Reason unreadable(Message message) {
    String what = message.headers().get(Headers.UNREADABLE);
    return what == null
        ? null
        : Reason.of(
            Reason.STORE_REFUSED,
            "its "
                + what
                + " could not be read from the database when its dead letter was written, so there is nothing to send");
  }

  /** The same, known to be unreadable. */
  public Delivery unreadable(Reason why) {
    return new Delivery(
        message,
        seq,
        recordedAt,
        attempts,
        failingFor,
        parked,
        cipherKey,
        attemptsBefore,
        once,
        age,
        suspectFor,
        sender,
        why);
  }

  public Delivery withContent(byte[] payload, Map<String, String> headers) {
    return new Delivery(
        message.withPayload(payload).withHeaders(headers),
        seq,
        recordedAt,
        attempts,
        failingFor,
        parked,
        cipherKey,
        attemptsBefore,
        once,
        age,
        suspectFor,
        sender,
        unreadable);
  }

  public Delivery asParked() {
    return new Delivery(
        message,
        seq,
        recordedAt,
        attempts,
        failingFor,
        true,
        cipherKey,
        attemptsBefore,
        once,
        age,
        suspectFor,
        sender,
        unreadable);
  }

  /**
   * The message as a connector gets it: with its place in the log, or with the later one that a
   * scheduled message took when it fell due. One that was received has its sender's sequence
   * instead, and the sender in a header, where no application can put one.
   */
  public Message handedOver() {
    if (sender == null && !message.headers().containsKey(Headers.SENDER)) {
      return message.withSequence(place());
    }
    Map<String, String> headers = new HashMap<>(message.headers());
    if (sender == null) {
      headers.remove(Headers.SENDER);
      return message.withSequence(place()).withHeaders(Map.copyOf(headers));
    }
    headers.put(Headers.SENDER, sender);
    return message.withHeaders(Map.copyOf(headers));
  }

  private long place() {
    return parked ? Math.max(seq, message.sequence()) : seq;
  }
}
