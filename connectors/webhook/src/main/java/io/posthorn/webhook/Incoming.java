package io.posthorn.webhook;

import io.posthorn.core.source.Received;

/** A {@link WebhookReceiver}'s verdict on a request. */
public sealed interface Incoming {
  /**
   * The request is genuine. Respond with 2xx once the transaction that handled or stored the
   * message has committed, even if the inbox reports a duplicate. Respond with 503 if it could not
   * be stored, so that the sender sends it again.
   */
  record Accepted(Received received) implements Incoming {}

  /**
   * The request is refused. Respond with this status, and do nothing else.
   *
   * @param status 4xx or 503
   * @param code stable, for programs
   * @param text for your log and for the sender; contains no secrets
   */
  record Refused(int status, String code, String text) implements Incoming {}
}
