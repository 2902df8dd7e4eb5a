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
 * @param seq the message's place in the log
 * @param recordedAt when the message was stored, by the database's clock
 * @param attempts the attempts made so far
 * @param failingFor the time since the first failed attempt; zero if none has failed
 * @param parked whether it comes from the parked messages; otherwise it comes from the log
 * @param cipherKey the id of the key that the payload is encrypted with; null if it is not
 *     encrypted
 * @param attemptsBefore the attempts made before it was requeued; they do not count against its
 *     retries
 * @param once whether it was requeued for a single attempt
 * @param age the time since it was stored, was due, or was requeued, by the database's clock at the
 *     claim; set for parked messages only
 * @param suspectFor the time since its first failure that nobody was blamed for, as long as it was
 *     neither blamed nor sent; otherwise zero
 * @param sender the sender, if the message was received. Its message then has the sender's sequence
 * @param unreadable why the message's row cannot be read; null if it can. Such a message is never
 *     delivered, and the parts that could not be read are empty
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

  /** A delivery whose row could be read. */
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

  /** A delivery that was not received from a source, and never requeued. */
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

  /** An unreadable message was requeued from its dead letter, so there is nothing to send. */
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

  /** Returns this delivery, marked as unreadable. */
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

  /** Returns this delivery with another payload and other headers. */
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

  /** Returns this delivery as one of the parked messages. */
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
   * The message as a connector gets it. Its sequence is its place in the log, or the later place
   * that a scheduled message took when it fell due.
   *
   * <p>A received message keeps its sender's sequence, and names the sender in the header {@link
   * Headers#SENDER}. That header is removed from any other message, so applications cannot forge
   * it.
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
